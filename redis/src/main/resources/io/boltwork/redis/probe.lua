-- Publishes to the client that asks, as grants are published, so that it sees whether what scripts publish arrives.
--
-- KEYS
--   1  with sharded channels only: a key of the slot, which is not touched
-- ARGV
--   1  channel of the client's grants
--   2  message
-- Returns {server ms, how many clients the server has sent it to}

--- @include "time"
if KEYS[1] then
  return {now, call('SPUBLISH', ARGV[1], ARGV[2])}
end
return {now, call('PUBLISH', ARGV[1], ARGV[2])}
