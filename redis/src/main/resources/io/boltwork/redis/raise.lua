-- Raises the fence to the end of the block of tokens that a majority has agreed on, if the server still votes for the
-- request.
-- See docs/inside/protocol.md#votes-of-a-quorum.
-- KEYS
--   1  the hash of the lock
-- ARGV
--   1  request
--   2  first token of the vote
--   3  last token of the block
-- Returns {server ms, code}
--   8  OK    the vote stands, and the fence is at least that last token
--   9  LOST  the request does not own the lock with that first token; nothing was changed

local key = KEYS[1]
--- @include "time"
--- @include "save"
local read = call('HMGET', key, 'owner', 'token', 'fence')
if read[1] ~= ARGV[1] or read[2] ~= ARGV[2] then
  return {now, $LOST}
end
if read[3] - ARGV[3] < 0 then
  save('fence', ARGV[3])
end
return {now, $OK}
