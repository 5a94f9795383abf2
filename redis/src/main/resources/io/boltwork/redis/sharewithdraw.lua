-- Removes a request from the queue or from the holders of a shared lock, and grants what is free to those that wait.
-- See docs/inside/protocol.md#shared-locks.
-- KEYS
--   1  the hash of the lock
-- ARGV
--   1  request, empty for none (a nudge)
--   2  not-after of the last restore that was sent, ms; 0 for none
--   3  idle life: how long the key of an unused lock lives, ms
--   4  origin, for messages
-- Returns {server ms, code, claim ms}; claim ms is -1 if more waiting requests must be examined: nudge
--   11  WITHDRAWN  the request held a part of the lock or waited in the queue
--   12  UNKNOWN    neither

--- @include "time"
--- @include "share"
--- @include "serve"
local request = ARGV[1]
open(KEYS[1], request)
local code = $UNKNOWN
if request ~= '' then
  if hold(request) or indexOf(request) then
    code = $WITHDRAWN
  end
  leave(request)
  if hold(request) then
    remove(request)
  end
  bury(request, tonumber(ARGV[2]))
end
local more = serve('')
write(ARGV[3])
return {now, code, claimed(more)}
