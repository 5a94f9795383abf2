-- Publishes a message to the calling client, in the same way as grants, to find out whether messages of scripts arrive.
-- See docs/run/servers.md#the-probe.
-- KEYS
--   1  with sharded channels only: a key of the slot; the script does not touch it
-- ARGV
--   1  the channel of the client's grants
--   2  message
-- Returns {server ms, the number of receivers that the server counted}

--- @include "time"
if KEYS[1] then
  return {now, call('SPUBLISH', ARGV[1], ARGV[2])}
end
return {now, call('PUBLISH', ARGV[1], ARGV[2])}
