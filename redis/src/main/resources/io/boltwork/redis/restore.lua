-- Makes a request the owner again, with its old token, if the server has lost the hold and nobody has held since.
--
-- KEYS
--   1  the lock's hash
-- ARGV
--   1  request
--   2  first token
--   3  lease, ms
--   4  takeover delay, ms
--   5  not-after, ms
--   6  life of the key when nobody uses the lock, ms
-- Returns {server ms, code, owner}
--   8  OK     the request owns the lock
--   9  LOST   somebody owns it, or a token of the hold or above has been issued
--   4  STALE  it is later than not-after; nothing was changed

local key = KEYS[1]
local request, first = ARGV[1], tonumber(ARGV[2])
--- @include "time"
--- @include "lock"

if now - ARGV[5] > 0 then
  return {now, 4, owner}
end

--- @include "save"
--- @include "client"
--- @include "ring"
--- @include "lapse"
--- @include "touch"

local code = 9
if (owner == '' or now >= ends) and fence < first then
  code = 8
  lapse()
  leave(request) -- after it: a claim of its own may have put it there
  owner, token, fence, claim = request, first, first + 999, ''
  ends = now + ARGV[3] + ARGV[4]
  save('owner', owner, 'token', token, 'until', ends, 'claim', claim, 'fence', fence)
else
  leave(request)
end
if fence > 0 then -- else there is no key
  touch(ARGV[6])
end
return {now, code, owner}
