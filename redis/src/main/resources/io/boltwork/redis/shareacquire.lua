-- Asks for a part of a shared lock. Grants it if it is free and no request of a listening client waits before this one; otherwise
-- queues it once.
-- See docs/protocol.md#shared-locks.
-- KEYS
--   1  the hash of the lock
-- ARGV
--   1  request
--   2  lease, ms
--   3  takeover delay, ms
--   4  1 to queue, 0 to try
--   5  not-after, ms
--   6  weight
--   7  capacity, as the client knows it
--   8  when it was set, us; 0 if the client was configured with it
--   9  idle life: how long the key of an unused lock lives, ms
--   10 origin, for messages
-- Returns {server ms, code, known, number, position, weight, last token of the block, free permits, capacity, when it was set}
--   1  GRANTED    the request holds a part of the lock, of that weight; number: its first token; position: -1 if more waiting
--                 requests must be examined: nudge
--   2  QUEUED     the request waits at position; number: ms until the first lease may end
--   3  REFUSED    the part is not free, or other requests wait; number: as for QUEUED
--   4  STALE      not-after has passed and nothing was changed
--   15 AGAIN      the part may be free, but not all that has ended was examined: ask again; a queuing request waits at position
--   16 TOO_LARGE  the weight exceeds the capacity; the request does not wait

--- @include "time"
--- @include "share"
--- @include "serve"
--- @include "shareask"
local request = ARGV[1]
open(KEYS[1], request)
if now - ARGV[5] > 0 then
  local known = (hold(request) or indexOf(request)) and 1 or 0
  return {now, $STALE, known, 0, 0, 0, 0, math.max(0, capacity - used), capacity, set}
end
local code, known, value, position, weight, last, free =
    ask(request, ARGV[2], ARGV[3], ARGV[6], ARGV[7], ARGV[8], ARGV[4] == '1')
write(ARGV[9])
return {now, code, known, value, position, weight, last, free, capacity, set}
