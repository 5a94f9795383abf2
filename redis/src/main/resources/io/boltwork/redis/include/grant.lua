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
