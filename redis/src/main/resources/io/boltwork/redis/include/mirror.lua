-- Writes the owner of the lock to Redisson's hash. If there is none, wakes the clients of Redisson that wait for the
-- lock.
-- Needs: bridge.
local isShut = shut and owner == '-' and ends == shut
local owns = isShut and '' or owner
if owns ~= '' then
  if holder ~= owns then
    call('DEL', KEYS[2])
    call('HSET', KEYS[2], owns, 1)
    turns = turns + 1
  end
  call('PEXPIRE', KEYS[2], ends - now)
else
  if holder ~= '' and not (theirs and isShut) then
    call('DEL', KEYS[2])
  end
  if not woken and (recorded ~= '' or theirs and not isShut) then
    wake()
  end
end
if fence > issued then
  local text = string.format('%.0f', fence)
  if call('PTTL', KEYS[3]) == -1 then
    call('SET', KEYS[3], text)
  else
    call('SET', KEYS[3], text, 'PX', $BRIDGE_COUNTER_MILLIS)
  end
end
local state = string.format('%.0f %.0f %.0f', turns, since, left)
if (fence > 0 or head) and (owns ~= read[1] or state ~= read[11]) then -- otherwise there is no key, or nothing new
  save('owner', owns, 'bridge', state)
end
