-- Sets the capacity of a shared lock, and grants what is free to those that wait.
-- See docs/protocol.md#shared-locks.
-- KEYS
--   1  the hash of the lock
-- ARGV
--   1  the new capacity
--   2  idle life: how long the key of an unused lock lives, ms
--   3  origin, for messages
-- Returns {server ms, capacity, when it was set, us, claim ms}; claim ms is -1 if more waiting requests must be examined: nudge

--- @include "time"
--- @include "share"
--- @include "serve"
open(KEYS[1], '')
capacity, set = tonumber(ARGV[1]), math.max(set + 1, us)
local more = serve('')
write(ARGV[2])
return {now, capacity, set, claimed(more)}
