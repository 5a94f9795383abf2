-- Asks for a lock: grants it if it is free and nobody who listens waits before the asker; else enters the queue, once.
--
-- KEYS
--   1  the lock's hash
-- ARGV
--   1  request
--   2  lease, ms
--   3  takeover delay, ms
--   4  1 to queue, 0 to try
--   5  not-after, ms
--   6  life of the key when nobody uses the lock, ms
--   7  run of the server, for messages
-- Returns {server ms, code, known, number, position, owner}
--   1  GRANTED  the request owns the lock; number: its first token; position and owner may be missing
--   2  QUEUED   it waits at position; number: ms until the owner's lease and takeover delay end
--   3  REFUSED  the lock is taken, or was given to one who waits; number: as above
--   4  STALE    it is later than not-after; nothing was changed; number: 0
--   15 AGAIN    the lock is free, but it is not known yet who stands first: ask again; one that queues waits at position; number: 0

local key = KEYS[1]
local request, lease, takeover, life = ARGV[1], ARGV[2], ARGV[3], ARGV[6]
--- @include "time"
local stale = now - ARGV[5] > 0

-- The usual case, nobody owns it and nobody waits, reads and writes no more than it must. It is only a short
-- form of what follows.
local free = call('HMGET', key, 'owner', 'fence', 'head', 'x')
if (free[1] or '') == '' and not free[3] and not stale then
  local token = math.max((tonumber(free[2]) or 0) + 1, us)
  local left = lease + takeover
  local text = string.format -- cheaper than to hand numbers over
  local issued, ends, fence = text('%d', token), text('%d', now + left), text('%d', token + 999)
  if not free[2] then -- a new key: there is no claim to clear
    call('HSET', key, 'owner', request, 'token', issued, 'until', ends, 'fence', fence, 'x',
      text('%d', now + left + life))
    call('PEXPIRE', key, left + life)
    return {now, 1, 0, token}
  end
  call('HSET', key, 'owner', request, 'token', issued, 'until', ends, 'claim', '', 'fence', fence)
  if (tonumber(free[4]) or 0) - now - left < life * 7 / 8 then -- as touch
    call('HSET', key, 'x', text('%d', now + left + life))
    call('PEXPIRE', key, left + life)
  end
  return {now, 1, 0, token}
end

--- @include "lock"
--- @include "save"
--- @include "client"
--- @include "ring"
if stale then
  return {now, 4, (owner == request or indexOf(request)) and 1 or 0, 0, 0, owner}
end
--- @include "extend"
--- @include "own"
--- @include "tell"
--- @include "lapse"
--- @include "next"
--- @include "ask"
--- @include "touch"
local code, known, number, position = ask(request, lease, takeover, ARGV[4] == '1')
touch(life)
return {now, code, known, number, position, owner}
