-- Gives the lock to the next in the queue if it is free.
-- Needs: next, save.
local function grant()
  local before = owner
  lapse()
  if owner == '' then
    giveToNext('')
    if owner == '' and before ~= '' then
      save('owner', '')
    end
  end
end

-- How long until the owner's claim, or a kept lock, runs out, in ms; -1 if the lock is free and somebody may wait: no slot may
-- be looked at any more.
local function claimed()
  if owner == '' and head then
    return -1
  end
  return (claim ~= '' or owner == '-') and ends - now or 0
end
