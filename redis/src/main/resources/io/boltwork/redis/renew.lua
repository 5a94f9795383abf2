-- Prolongs leases. Each has its own outcome; a key of another type spoils only its own.
--
-- KEYS
--   n  the locks' hashes
-- ARGV
--   1  not-after, ms
--   2  what all requests begin with
--   3  lease, ms; empty if they differ
--   4  takeover delay, ms
--   and for each key
--   1  the rest of the request
--   2  first token
--   3  lease, ms, if they differ
--   4  takeover delay, ms, if they differ
-- Returns {server ms}, and for each key its code, and if that is not OK the owner
--   8   OK         the lease was prolonged, and a claim confirmed
--   6   FORGOTTEN  nobody owns the lock and no token of the hold or above was ever issued; nothing was written
--   9   LOST       the request does not own the lock with that token
--   4   STALE      it is later than not-after; nothing was changed
--   10  BROKEN     the key holds something else

--- @include "time"
local key, owner, ends, claim, head, tail, touched
--- @include "save"
--- @include "extend"
--- @include "ring"
--- @include "touch"

local stale = now - ARGV[1] > 0
local result = {now}
local lease, takeover = ARGV[3], ARGV[4]
local differ = lease == ''
local at = 5
for i = 1, #KEYS do
  key = KEYS[i]
  local request, first = ARGV[2] .. ARGV[at], tonumber(ARGV[at + 1])
  if differ then
    lease, takeover = ARGV[at + 2], ARGV[at + 3]
  end
  at = at + (differ and 4 or 2)
  local read = redis.pcall('HMGET', key, 'owner', 'token', 'until', 'claim', 'fence', 'head', 'tail', 'x')
  local code = 10
  if not read.err then
    owner, ends, claim = read[1] or '', tonumber(read[3]) or 0, read[4] or ''
    head, tail, touched = tonumber(read[6]), tonumber(read[7]), tonumber(read[8])
    if stale then
      code = 4
    elseif owner == request and tonumber(read[2]) == first then
      code = 8
      extend(lease, takeover)
      leave(request)
      touch()
    elseif (owner == '' or now >= ends) and (tonumber(read[5]) or 0) < first then
      code = 6
    else
      code = 9
      leave(request)
    end
  end
  result[#result + 1] = code
  if code ~= 8 then
    result[#result + 1] = code == 10 and '' or owner
  end
end
return result
