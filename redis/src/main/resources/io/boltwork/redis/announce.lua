-- Lets everybody know who a client is, for a limited time.
--
-- KEYS
--   1  the client's hash
-- ARGV
--   1  ms until it is forgotten, 0 to forget it at once
--   2  application
--   3  host
--   4  process
--   5  since, ms
--   6  version of the protocol
--   7  nonce: what this announcement is told by
-- Returns {server ms, nonce of the announcement before, '' for none}

local key = KEYS[1]
--- @include "time"
local before = call('HGET', key, 'nonce') or ''
if tonumber(ARGV[1]) > 0 then
  call('HSET', key, 'application', ARGV[2], 'host', ARGV[3], 'pid', ARGV[4], 'since', ARGV[5], 'wire', ARGV[6],
    'nonce', ARGV[7])
  call('PEXPIRE', key, ARGV[1])
else
  call('DEL', key)
end
return {now, before}
