-- Releases a lock, asks for it again for another request, and grants it to the next waiter.
-- See docs/inside/protocol.md#release.
-- A lock that is shared with Redisson has more keys, see include/bridge.lua.
-- KEYS
--   1  the hash of the lock
-- ARGV
--   1  request
--   2  first token
--   3  last token used
--   4  keep time: how long the lock stays closed, ms; 0 for none
--   5  next request, empty for none
--   6  lease of the next request, ms
--   7  takeover delay of the next request, ms
--   8  not-after of the next request, ms
--   9  the condition that the next request begins to wait for: '+<condition>'; empty for none
--   10 signals: a MessagePack array of conditions, each with the number of requests to wake; empty for none
--   11 idle life: how long the key of an unused lock lives, ms
--   12 origin, for messages
-- Returns {server ms, code, claim ms, owner}; claim ms is -1 if the next owner is not found yet: nudge.
-- If the lock was released and there is a next request, its {code, known, number, position} follow, as in acquire.lua
--   5  RELEASED   the request owned the lock
--   6  FORGOTTEN  the server has lost the hold: no request owns the lock, and no token of the hold or above was issued
--   7  NOT_HELD   any other case
--   1  GRANTED    the next request owns the lock
--   2  QUEUED     the next request waits
--   20 WAITING    the next request waits for its condition
--   15 AGAIN      the next request waits and must ask again, because the next owner is not found yet
--   4  STALE      the not-after of the next request has passed; it was not queued

local key = KEYS[1]
local request = ARGV[1]
--- @include "time"

-- The usual cases (the owner releases; no request waits, or the client of the first one listens) read and write no more
-- than necessary. They are only a short form of the general case below.
local mine = call('HMGET', key, 'owner', 'token', 'fence', 'x', 'head', 'tail', 'lapsed')
local spare = (tonumber(mine[4]) or 0) - now - ARGV[11] * 7 / 8 -- as touch
local usual = mine[1] == request and mine[2] == ARGV[2] and tonumber(mine[3]) == mine[2] + $BLOCK_END
    and ARGV[4] == '0' and ARGV[5] == '' and ARGV[10] == '' and spare >= 0 and not KEYS[2]
if usual and not mine[5] and type(redis.pcall('HSET', key, 'owner', '', 'fence', ARGV[3])) ~= 'table' then
  return {now, $RELEASED, 0, ''}
end
--- @include "client"
--- @include "tell"
--- @include "retained"
local unheard
if usual and mine[5] and mine[6] and not mine[7] then
  local head = tonumber(mine[5])
  local isLast = mine[6] - head == 1
  local first = call('HMGET', key, 'q' .. head, 'q' .. head + 1)
  local lease, takeover, waiter = string.match(first[1] or '', '^(%d+) (%d+) %d+ (%S+)$')
  local claimed = math.min(lease or 0, $CLAIM_MILLIS)
  local left = claimed + (takeover or 0)
  if waiter and waiter ~= request and (isLast or first[2] and not isRetained(waiter)) and left <= spare then
    -- First a write, which fails if the server refuses writes: no client may hear of a grant that was not made.
    if isLast then
      call('HDEL', key, 'q' .. head, 'r' .. waiter, 'head', 'tail')
    else
      call('HDEL', key, 'q' .. head, 'r' .. waiter)
      call('HSET', key, 'head', head + 1)
    end
    local token = math.max(ARGV[3] + 1, us)
    if tell(waiter, token, claimed) > 0 then
      local text = string.format -- cheaper than passing numbers
      call('HSET', key, 'owner', waiter, 'token', text('%d', token), 'until', text('%d', now + left), 'claim', '1',
        'fence', text('%d', token + $BLOCK_END))
      return {now, $RELEASED, left, waiter}
    end
    unheard = waiter
  end
end

--- @include "lock"
--- @include "save"
--- @include "ring"
--- @include "own"
--- @include "lapse"
local hasConditions = signals or ARGV[9] ~= '' or ARGV[10] ~= ''
--- @include "condition"
--- @include "recall"
--- @include "next"
--- @include "grant"
--- @include "extend"
--- @include "enter"
--- @include "ask"
--- @include "touch"
if unheard then
  slots.left = slots.left - 1
  deaf[clientOf(unheard)] = true
end
--- @bridged "bridge"
local first, last, keep = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local held = owner == request
local next = held and ARGV[5] ~= '' and ARGV[5]
local code = $RELEASED
if held then
  if (token == first and fence == first + $BLOCK_END) or fence < last then
    fence = last
  end
  if keep > 0 then
    owner, ends, claim = '-', now + keep, ''
  else
    owner, ends, claim = '', 0, ''
  end
  save('owner', owner, 'until', ends, 'claim', claim, 'fence', fence)
else
  code = $NOT_HELD
  if (owner == '' or now >= ends) and fence < first and not KEYS[2] then
    code = $FORGOTTEN
  end
  if fence < last then
    fence = last
    save('fence', fence)
  end
end

leave(request)
if ARGV[10] ~= '' then
  signalEach(ARGV[10])
end
local verdict, known, number, position
if held and signals then
  move()
end
--- @bridged "yield"
if next and now - ARGV[8] > 0 then
  verdict, known, number, position = $STALE, indexOf(next) and 1 or 0, 0, 0
elseif next and string.sub(ARGV[9], 1, 1) == '+' and not indexOf(next) then
  verdict, known, number, position = $WAITING, 0, 0, 0
  startWaiting(next, ARGV[6], ARGV[7], string.sub(ARGV[9], 2))
elseif next then
  verdict, known, number, position = ask(next, ARGV[6], ARGV[7], true, ARGV[9])
end
grant()
--- @bridged "mirror"
if fence > 0 then -- otherwise there is no key
  touch(ARGV[11])
end
if next then
  return {now, code, claimed(), owner, verdict, known, number, position}
end
return {now, code, claimed(), owner}
