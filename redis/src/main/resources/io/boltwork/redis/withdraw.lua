-- Takes a request back, out of the queue and out of ownership, and grants a free lock to whoever is next.
--
-- KEYS
--   1  the lock's hash
-- ARGV
--   1  request, empty for none
--   2  last token used, 0 if it never held
--   3  life of the key when nobody uses the lock, ms
--   4  run of the server, for messages
-- Returns {server ms, code, claim ms, owner}; claim ms is -1 if it is not known yet who stands first: nudge
--   11  WITHDRAWN  the request owned the lock or stood in the queue
--   12  UNKNOWN    neither

local key = KEYS[1]
local request, last = ARGV[1], tonumber(ARGV[2])
--- @include "time"
--- @include "lock"
--- @include "save"
--- @include "own"
--- @include "client"
--- @include "ring"
--- @include "tell"
--- @include "lapse"
--- @include "next"
--- @include "grant"
--- @include "touch"

local code = 12
if request ~= '' then
  if owner == request then
    code = 11
    owner, ends, claim = '', 0, ''
    save('owner', owner)
  elseif indexOf(request) then
    code = 11
  end
  leave(request)
  if fence < last then
    fence = last
    save('fence', fence)
  end
end
grant()
if fence > 0 or head then -- else there is no key
  touch(ARGV[3])
end
return {now, code, claimed(), owner}
