-- Counts a latch down by one. At zero, the clients that wait get messages.
-- See docs/inside/protocol.md#latches.
-- KEYS
--   1  the hash of the latch
-- ARGV
--   1  the id of the change, which counts once in a generation
--   2  0 for the current generation; or, for a change that another server may have lost, its generation, us
--   3  the latest generation in which it may count, us
--   4  not-after, ms
--   5  origin, for messages
-- Returns {server ms, code, count, generation, the generation that had ended when it began}
--   17  DONE     the change was counted, now or by an earlier copy, or there was nothing to count
--   18  OPEN     the generation that was meant has ended
--   12  UNKNOWN  the count was never set, or the server does not know the generation
--   4   STALE    the command came after its not-after

--- @include "time"
local key, origin = KEYS[1], ARGV[5]
--- @include "latch"
if now - ARGV[4] > 0 then
  return answer($STALE)
end
if generation == 0 then
  return answer($UNKNOWN)
end
local meant = tonumber(ARGV[2])
if meant > 0 and meant ~= generation then
  touch()
  return answer(contains(ended, ARGV[2]) and $DONE or $UNKNOWN)
end
if generation - ARGV[3] > 0 then
  touch()
  return answer($OPEN)
end
local field = 'i:' .. ARGV[1]
if count == 0 or call('HGET', key, field) then
  touch()
  return answer($DONE)
end
count = count - 1
if count > 0 then
  call('HSET', key, 'count', string.format('%d', count), field, '')
  touch()
else
  local told = waiting
  waiting = ''
  rewrite()
  tell(told, generation)
end
return answer($DONE)
