-- Removes a request from the queue or from ownership, and grants a free lock to the next waiter.
-- See docs/inside/protocol.md#withdraw.
-- A lock that is shared with Redisson has more keys, see include/bridge.lua.
-- KEYS
--   1  the hash of the lock
-- ARGV
--   1  request, empty for none (a nudge)
--   2  last token used, 0 if the request never held the lock
--   3  signals, as in release.lua
--   4  idle life: how long the key of an unused lock lives, ms
--   5  origin, for messages
-- Returns {server ms, code, claim ms, owner}; claim ms is -1 if the next owner is not found yet: nudge
--   11  WITHDRAWN  the request owned the lock or waited in the queue
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
local hasConditions = signals
--- @include "condition"
--- @include "retained"
--- @include "recall"
--- @include "next"
--- @include "grant"
--- @include "touch"

--- @bridged "bridge"
local code = $UNKNOWN
if request ~= '' then
  local signalled = '' -- another request can use the signal
  if owner == request then
    code = $WITHDRAWN
    signalled = string.match(claim, '%+.*$') or ''
    owner, ends, claim = '', 0, ''
    save('owner', owner)
  elseif indexOf(request) then
    code = $WITHDRAWN
    signalled = signals and string.match(call('HGET', key, 'q' .. indexOf(request)) or '', ' (%+.*)$') or ''
  end
  if signalled ~= '' then
    signal(string.sub(signalled, 2), 1)
  end
  if signals and stopWaiting(request) then
    code = $WITHDRAWN
  end
  leave(request)
  if fence < last then
    fence = last
    save('fence', fence)
  end
end
if signals and ARGV[3] ~= '' then
  signalEach(ARGV[3])
end
grant()
--- @bridged "mirror"
if fence > 0 or head then -- otherwise there is no key
  touch(ARGV[4])
end
return {now, code, claimed(), owner}
