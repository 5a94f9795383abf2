-- Prolongs leases. Each has its own outcome; a key of another type spoils only its own.
--
-- KEYS
--   n  the locks' hashes
-- ARGV
--   1  not-after, ms
--   and for each key
--   1  request
--   2  first token
--   3  lease, ms
--   4  takeover delay, ms
-- Returns {server ms}, and for each key {code, owner}; the owner is empty if it is the request
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
for i = 1, #KEYS do
  key = KEYS[i]
  local request, first = ARGV[4 * i - 2], tonumber(ARGV[4 * i - 1])
  local read = redis.pcall('HMGET', key, 'owner', 'token', 'until', 'claim', 'fence', 'head', 'tail', 'x')
  local code, named = 10, ''
  if not read.err then
    owner, ends, claim = read[1] or '', tonumber(read[3]) or 0, read[4] or ''
    head, tail, touched = tonumber(read[6]), tonumber(read[7]), tonumber(read[8])
    named = owner
    if stale then
      code = 4
    elseif owner == request and tonumber(read[2]) == first then
      code, named = 8, ''
      extend(ARGV[4 * i], ARGV[4 * i + 1])
      leave(request)
      touch()
    elseif (owner == '' or now >= ends) and (tonumber(read[5]) or 0) < first then
      code = 6
    else
      code = 9
      leave(request)
    end
  end
  result[2 * i] = code
  result[2 * i + 1] = named
end
return result
