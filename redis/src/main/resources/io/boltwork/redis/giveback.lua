-- Takes back the vote of a server of a quorum, whether or not it was given, and tells clients that wait for it.
-- See docs/inside/protocol.md#votes-of-a-quorum.
-- KEYS
--   1  the hash of the lock
-- ARGV
--   1  request
--   2  first token of the vote; 0 if none is known
--   3  last token used; 0 for none
--   4  last token of the block that a majority has agreed on; 0 if there was no agreement
--   5  keep time: how long the lock stays closed, ms; 0 for none
--   6  idle life: how long the key of an unused lock lives, ms
--   7  origin, for messages
-- Returns {server ms, code, owner}
--   5  RELEASED   the server had voted for the request
--   6  FORGOTTEN  no request owns the lock, and no token of the vote or above was issued
--   7  NOT_HELD   any other case

local key = KEYS[1]
local first, last, keep = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[5])
--- @include "time"
local read = call('HMGET', key, 'owner', 'token', 'until', 'fence', 'x', 'watchers')
local owner, ends, fence, expires = read[1], tonumber(read[3]) or 0, tonumber(read[4]) or 0, tonumber(read[5])
--- @include "save"
--- @include "touch"
--- @include "freed"
local code = $NOT_HELD
if owner == ARGV[1] then
  code = $RELEASED
  -- The fence is lowered only if no later request can have been given a token above the last one used.
  if tonumber(read[2]) == first and (fence == first + $BLOCK_END or fence == tonumber(ARGV[4])) or fence < last then
    fence = last
  end
  owner, ends = '', 0
  if keep > 0 then
    owner, ends = '-', now + keep
  end
  save('owner', owner, 'until', ends, 'claim', '', 'fence', fence)
else
  if (owner == '' or now >= ends) and fence < first then
    code = $FORGOTTEN
  end
  if fence < last then
    fence = last
    save('fence', fence)
  end
end
if fence > 0 then -- otherwise there is no key
  touch(ARGV[6])
end
if code == $RELEASED and read[6] then
  free(read[6])
end
return {now, code, now < ends and owner or ''}
