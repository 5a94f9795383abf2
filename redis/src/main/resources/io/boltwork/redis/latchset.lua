-- Sets the count of a latch, if it is zero or was never set.
-- See docs/inside/protocol.md#latches.
-- KEYS
--   1  the hash of the latch
-- ARGV
--   1  the id of the change
--   2  count
--   3  0; or, for a change that another server may have lost, the generation that it began, us
--   4  for such a change the generation that had ended when it began, us; 0 if there was none
--   5  not-after, ms
--   6  origin, for messages
-- Returns {server ms, code, count, generation, the generation that had ended when it began}
--   17  DONE     the count was set, now or by an earlier copy
--   18  OPEN     an earlier copy has set the count, and that generation has ended
--   3   REFUSED  the count is not zero, or was set again later
--   4   STALE    the command came after its not-after

--- @include "time"
local key, origin = KEYS[1], ARGV[6]
--- @include "latch"
if now - ARGV[5] > 0 then
  return answer($STALE)
end
local wanted = tonumber(ARGV[3])
if contains(setters, ARGV[1]) then
  touch()
  return answer(string.match(setters, '%S+$') == ARGV[1] and $DONE or $OPEN)
end
local lost = wanted > generation -- another server had it before this one took over
if not lost and (count > 0 or wanted > 0) then
  touch()
  return answer($REFUSED)
end
local told, last = '', generation
if generation > 0 and (count == 0 or generation == tonumber(ARGV[4])) then
  told, waiting = waiting, ''
  finish(string.format('%.0f', generation))
end -- else the current generation is lost, because the other server did not know it
if lost and ARGV[4] ~= '0' then
  finish(ARGV[4])
end
generation = lost and wanted or math.max(generation + 1, us)
setters, count = add(setters, ARGV[1], $SETTERS_REMEMBERED), tonumber(ARGV[2])
rewrite()
tell(told, last)
return answer($DONE)
