-- Grants a free lock to the next request in the queue.
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

-- Returns the ms until the owner's claim ends or a kept lock opens. -1: the lock is free and requests may wait, but no more
-- places may be examined.
local function claimed()
  if owner == '' and head then
    return -1
  end
  return (claim ~= '' or owner == '-') and ends - now or 0
end
