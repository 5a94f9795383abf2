-- Grants a free lock to the next request in the queue.
-- Needs: next, save, condition.
local function grant()
  local before = owner
  lapse()
  if signals then
    move()
  end
  giveToOthers('')
  if owner == '' and before ~= '' then
    save('owner', '')
  end
end

-- Returns the ms until the owner's claim ends or a kept lock opens. -1: the lock is free and requests may wait, or
-- signals are due, but no more places may be examined.
local function claimed()
  if owner == '' and head or signals and dueSignals()[1] then
    return -1
  end
  return (claim ~= '' or owner == '-') and ends - now or 0
end
