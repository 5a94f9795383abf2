-- Asks for a lock. Grants it if it is free and no request of a listening client waits before this one; otherwise queues
-- it once.
-- See docs/inside/protocol.md#ask.
-- A lock that is shared with Redisson has more keys, see include/bridge.lua.
-- KEYS
--   1  the hash of the lock
-- ARGV
--   1  request
--   2  lease, ms
--   3  takeover delay, ms
--   4  1 to queue, 0 to try
--   5  not-after, ms
--   6  the condition that the request waits for: '+<condition>'; that it no longer waits for: '-<condition>'; empty for
--      none
--   7  idle life: how long the key of an unused lock lives, ms
--   8  origin, for messages
-- Returns {server ms, code, known, number, position, owner}
--   1  GRANTED  the request owns the lock; number: its first token; position and owner may be missing
--   2  QUEUED   the request waits at position; number: ms until the owner's lease and takeover delay end
--   3  REFUSED  the lock is taken, or has just been granted to a waiting request; number: as for QUEUED
--   4  STALE    not-after has passed and nothing was changed; number: 0
--   20 WAITING  the request still waits for its condition; number: as for QUEUED, or 0 without an owner
--   15 AGAIN    the lock is free, but its next owner is not found yet: ask again; a queuing request waits at position;
--               number: 0

local key = KEYS[1]
local request, lease, takeover, condition, life = ARGV[1], ARGV[2], ARGV[3], ARGV[6], ARGV[7]
--- @include "time"
local stale = now - ARGV[5] > 0

-- The usual case, no owner and no waiters, reads and writes no more than necessary. It is only a short form of
-- the general case below.
local free = call('HMGET', key, 'owner', 'fence', 'head', 'x', 'bridge')
if (free[1] or '') == '' and not free[3] and not stale and condition == '' and not free[5] and not KEYS[2] then
  local token = math.max((tonumber(free[2]) or 0) + 1, us)
  local left = lease + takeover
  local text = string.format -- cheaper than passing numbers
  local issued, ends, fence = text('%d', token), text('%d', now + left), text('%d', token + $BLOCK_END)
  if not free[2] then -- a new key has no claim to clear
    call('HSET', key, 'owner', request, 'token', issued, 'until', ends, 'fence', fence, 'x',
      text('%d', now + left + life))
    call('PEXPIRE', key, left + life)
    return {now, $GRANTED, 0, token}
  end
  call('HSET', key, 'owner', request, 'token', issued, 'until', ends, 'claim', '', 'fence', fence)
  if (tonumber(free[4]) or 0) - now - left < life * 7 / 8 then -- as touch
    call('HSET', key, 'x', text('%d', now + left + life))
    call('PEXPIRE', key, left + life)
  end
  return {now, $GRANTED, 0, token}
end

--- @include "lock"
--- @include "save"
--- @include "client"
--- @include "ring"
if stale then
  return {now, $STALE, (owner == request or indexOf(request)) and 1 or 0, 0, 0, owner}
end
local hasConditions = signals or condition ~= ''
--- @include "condition"
--- @include "extend"
--- @include "own"
--- @include "tell"
--- @include "lapse"
--- @include "retained"
--- @include "recall"
--- @include "next"
--- @include "grant"
--- @include "enter"
--- @include "ask"
--- @include "touch"
--- @bridged "unfair"
--- @bridged "bridge"
local code, known, number, position = ask(request, lease, takeover, ARGV[4] == '1', condition)
--- @bridged "mirror"
if not KEYS[2] or fence > 0 or head then -- otherwise Redisson has the lock, and there is no key
  touch(life)
end
return {now, code, known, number, position, owner}
