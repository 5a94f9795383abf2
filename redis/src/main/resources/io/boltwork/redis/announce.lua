-- Announces a client to all other clients, for a limited time.
-- See docs/inside/protocol.md#announce.
-- KEYS
--   1  the hash of the client
-- ARGV
--   1  life of the record, ms; 0 to remove it at once
--   2  application
--   3  host
--   4  process id
--   5  since when the client exists, by its own clock, ms
--   6  version of the protocol
--   7  nonce, which identifies this announcement
--   8  the fields b1, b2, ... in MessagePack: threads that are blocked; '' if there are none
--   9  the fields u1, u2, ... in MessagePack: locks that are used most; '' if there are none
-- Returns {server ms, nonce of the previous record, '' if there was none}

local key = KEYS[1]
--- @include "time"
local before = call('HGET', key, 'nonce') or ''

-- Writes a list of fields in place of an earlier one.
local function list(prefix, packed)
  local values = packed == '' and {} or cmsgpack.unpack(packed)
  for i, value in ipairs(values) do
    call('HSET', key, prefix .. i, value)
  end
  local old = #values + 1
  while call('HDEL', key, prefix .. old) == 1 do
    old = old + 1
  end
end

if tonumber(ARGV[1]) > 0 then
  call('HSET', key, 'application', ARGV[2], 'host', ARGV[3], 'pid', ARGV[4], 'since', ARGV[5], 'wire', ARGV[6],
    'nonce', ARGV[7])
  list('b', ARGV[8])
  list('u', ARGV[9])
  call('PEXPIRE', key, ARGV[1])
else
  call('DEL', key)
end
return {now, before}
