-- Writes the time for which a run of the server is known to have been up, and returns the entries of all clients.
-- See docs/inside/protocol.md#votes-of-a-quorum.
-- KEYS
--   1  the hash for all clients
-- ARGV
--   1  the run that the client has watched
--   2  for how long that run has been up at least, ms; 0 to ask only
-- Returns {server ms, for how long clients have watched the present run at least, ms, its uptime by its own clock, s}

local key = KEYS[1]
--- @include "time"
--- @include "save"
local info = call('INFO', 'server')
local run = string.match(info, 'run_id:(%w+)')
local read = call('HMGET', key, 'run', 'watched')
local watched = read[1] == run and tonumber(read[2]) or 0
if ARGV[1] == run and ARGV[2] - watched > 0 then
  watched = tonumber(ARGV[2])
  save('run', run, 'watched', ARGV[2])
  call('PEXPIRE', key, $WITNESS_MILLIS)
end
return {now, watched, tonumber(string.match(info, 'uptime_in_seconds:(%d+)') or 0)}
