-- Asks for a part of a shared lock. Grants it if it is free and no request of a listening client waits before this
-- one; otherwise queues it once.
-- See docs/inside/protocol.md#shared-locks.
-- KEYS
--   1  the hash of the lock
-- ARGV
--   1  request
--   2  lease, ms
--   3  takeover delay, ms
--   4  1 to queue, 0 to try
--   5  not-after, ms
--   6  weight
--   7  capacity, as the client knows it
--   8  when it was set, us; 0 if the client was configured with it
--   9  idle life: how long the key of an unused lock lives, ms
--   10 origin, for messages
-- Returns {server ms, code, known, number, position, weight, last token of the block, free permits, capacity, when it
-- was set}
--   1  GRANTED    the request holds a part of the lock, of that weight; number: its first token; position: -1 if more
--                 waiting requests must be examined: nudge
--   2  QUEUED     the request waits at position; number: ms until the first lease may end
--   3  REFUSED    the part is not free, or other requests wait; number: as for QUEUED
--   4  STALE      not-after has passed and nothing was changed
--   15 AGAIN      the part may be free, but not all that has ended was examined: ask again; a queuing request waits at
--                 position
--   16 TOO_LARGE  the weight exceeds the capacity; the request does not wait

local request = ARGV[1]
--- @include "time"

-- The usual case (the part is free, no request waits, no lease has ended, and the client's capacity is known) reads and
-- writes no more than necessary. It is only a short form of the general case below.
local free = call('HMGET', KEYS[1], 'capacity', 'set', 'used', 'soon', 'fence', 'n', 'x', 'head', 'blocker',
  'h' .. request)
local of, since, ended = tonumber(free[1]) or 0, tonumber(free[2]) or 0, tonumber(free[4]) or math.huge
local sum, left = (tonumber(free[3]) or 0) + ARGV[6], ARGV[2] + ARGV[3]
if sum <= of and since - ARGV[8] >= 0 and now < ended and not free[8] and (free[9] or '') == '' and not free[10]
    and now - ARGV[5] <= 0
    and (tonumber(free[7]) or 0) - now - left >= math.max(ARGV[9], since > 0 and $SET_MILLIS or 0) * 7 / 8 -- as write
    and free[3] and free[4] and free[6] then
  local text = string.format -- cheaper than passing numbers
  local number, token = (tonumber(free[6]) or 0) + 1, math.max((tonumber(free[5]) or 0) + 1, us)
  local last = math.max(token, us + $BLOCK_END)
  local entry = text('%d %d %d %d %d %d -', number, ARGV[6], token, last, now + left, ARGV[2])
  local names = {'e' .. number, request, 'h' .. request, entry, 'used', text('%d', sum), 'n', number, 'fence',
    text('%d', last)}
  if now + left < ended then
    names[11], names[12] = 'soon', text('%d', now + left)
  end
  if ARGV[6] - of >= 0 then
    names[#names + 1], names[#names + 2] = 'all', text('%d', last) -- above all tokens so far
  end
  call('HSET', KEYS[1], unpack(names))
  return {now, $GRANTED, 0, token, 0, tonumber(ARGV[6]), last, 0, of, since}
end

--- @include "share"
--- @include "serve"
--- @include "shareask"
open(KEYS[1], request)
if now - ARGV[5] > 0 then
  local known = (hold(request) or indexOf(request)) and 1 or 0
  return {now, $STALE, known, 0, 0, 0, 0, math.max(0, capacity - used), capacity, set}
end
local code, known, value, position, weight, last, free =
    ask(request, ARGV[2], ARGV[3], ARGV[6], ARGV[7], ARGV[8], ARGV[4] == '1')
write(ARGV[9])
return {now, code, known, value, position, weight, last, free, capacity, set}
