-- Takes a lock away from its owner, or ends one hold only, and grants it to the next waiter. Tells the owner's
-- client, and those that wait for the vote of a quorum.
-- See docs/inside/protocol.md#force-release.
-- A lock that is shared with Redisson has more keys, see include/bridge.lua.
-- KEYS
--   1  the hash of the lock
-- ARGV
--   1  a token of the hold that must end, 0 for any owner
--   2  idle life: how long the key of an unused lock lives, ms
--   3  origin, for messages
-- Returns {server ms, code, claim ms, owner, the request that owned the lock, the first token of its hold}; claim ms is
-- -1 if the next owner is not found yet: nudge
--   13  TAKEN      the lock was taken from its owner, or a lock that was kept closed was opened
--   14  NOT_TAKEN  the lock had no owner, or the expected token is of another hold; in the latter case nothing was
--                  taken

local key = KEYS[1]
local expected = tonumber(ARGV[1])
--- @include "time"
local request = ''
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
--- @include "warn"
--- @include "freed"

--- @bridged "bridge"
local held = owner ~= '' and now < ends
local code = $NOT_TAKEN
local life, closed = ARGV[2], 0
local taken, takenToken = '', 0
if expected <= 0 or (held and owner ~= '-' and expected >= token and expected <= token + $BLOCK_END) then
  if held then
    code = $TAKEN
    closed = ends - now
    if owner ~= '-' then
      taken, takenToken = owner, token
    end
  end
  -- Every holder, even one that this server has forgotten, must still find the fence when its lease ends.
  life = math.max(life, closed + $FORCED_MILLIS)
  lapse()
  local signalled = string.match(claim, '%+(.*)$')
  if signalled then
    signal(signalled, 1) -- another request can use it
  end
  owner, ends, claim = '', 0, ''
  -- Raised even without an owner, because a holder that this server has forgotten must not restore its hold.
  fence = math.max(fence + 1, us)
  save('owner', owner, 'fence', fence)
end
grant()
--- @bridged "mirror"
if fence > 0 or head then -- otherwise there is no key
  touch(life, closed)
end
if taken ~= '' then
  warn(taken, takenToken)
end
local watchers = code == $TAKEN and call('HGET', key, 'watchers')
if watchers then
  free(watchers)
end
return {now, code, claimed(), owner, taken, takenToken}
