-- Makes a request a holder of a shared lock again, with its old token, if the server has lost the hold, no request that
-- conflicts with it has held the lock since, and it fits.
-- See docs/inside/protocol.md#shared-locks.
-- KEYS
--   1  the hash of the lock
-- ARGV
--   1  request
--   2  first token
--   3  last token of the block
--   4  lease, ms
--   5  takeover delay, ms
--   6  not-after, ms
--   7  weight
--   8  capacity, as the client knows it
--   9  when it was set, us
--   10 idle life: how long the key of an unused lock lives, ms
--   11 origin, for messages
-- Returns {server ms, code, claim ms}
--   8  OK     the request holds its part of the lock
--   9  LOST   it does not
--   4  STALE  not-after has passed and nothing was changed; or not all that has ended was examined: restore again

--- @include "time"
--- @include "share"
--- @include "serve"
local request, weight = ARGV[1], tonumber(ARGV[7])
if now - ARGV[6] > 0 then
  return {now, $STALE, 0}
end
open(KEYS[1], request)
local mine = hold(request)
local code, claim = $LOST, 0
if mine and mine.token == tonumber(ARGV[2]) then -- by the late bytes of an earlier restore
  code = $OK
  local larger = adopt(ARGV[8], ARGV[9])
  extend(mine, ARGV[4], ARGV[5])
  leave(request)
  local less = mine.weight - weight
  if less > 0 then
    mine.weight = weight
    used = used - less
    store(mine)
  end
  if less > 0 or larger then
    claim = claimed(serve(''))
  end
else
  local larger = adopt(ARGV[8], ARGV[9])
  local lost = forgotten(request, ARGV[2], weight, ARGV[8])
  local more = lost and not lapse()
  leave(request)
  if lost and used + weight <= capacity then
    code = $OK
    local first = tonumber(ARGV[2])
    local overlaps = fence >= first -- tokens of its block may be issued anew
    raise(put(request, weight, now + ARGV[4] + ARGV[5], first, tonumber(ARGV[3]), tonumber(ARGV[4]), '-'))
    fence = overlaps and fence + 1 or fence -- neither hold's release lowers it below a token of the other
  elseif more then
    code = $STALE
  end
  if larger then
    claim = claimed(serve(''))
  end
end
write(ARGV[10])
return {now, code, claim}
