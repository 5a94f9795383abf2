-- Reads the hash of the lock. If owner is empty, there is none, and token, ends and claim mean nothing. head and tail
-- are nil if no request waits. expires is when the key expires, or nil. A value that is not a number counts as missing.
-- For lapsed, see ring, for signals see condition, for bridge see bridge.
-- Needs: key, time, request: '' for none.
--- @include "torn"
local read = call('HMGET', key, 'owner', 'token', 'until', 'claim', 'fence', 'head', 'tail', 'x', 'lapsed', 'signals',
  'bridge', 'r' .. request)
if read[11] and not KEYS[2] then
  return redis.error_reply('BRIDGED the lock is shared with Redisson')
end
local owner = read[1] or ''
local claim = owner ~= '' and read[4] or ''
local token, ends, fence = tonumber(read[2]) or 0, tonumber(read[3]) or 0, tonumber(read[5]) or 0
local head, tail, expires, lapsed, signals = tonumber(read[6]), tonumber(read[7]), tonumber(read[8]), read[9], read[10]
if not (head and tail) and (read[6] or read[7] or read[12]) then
  head, tail = foundQueue(request)
end
