-- Releases a part of a shared lock, asks for another one for the next request, and grants what is free to those that
-- wait.
-- See docs/inside/protocol.md#shared-locks.
-- KEYS
--   1  the hash of the lock
-- ARGV
--   1  request
--   2  first token
--   3  last token used
--   4  last token of the block
--   5  weight
--   6  capacity, as the client knows it
--   7  keep time: how long the weight stays taken, ms; 0 for none
--   8  not-after of the last restore that was sent, ms; 0 for none
--   9  next request, empty for none
--   10 lease of the next request, ms
--   11 takeover delay of the next request, ms
--   12 not-after of the next request, ms
--   13 weight of the next request
--   14 capacity, as the client knows it
--   15 when it was set, us
--   16 idle life: how long the key of an unused lock lives, ms
--   17 origin, for messages
-- Returns {server ms, code, claim ms}; claim ms is -1 if more waiting requests must be examined: nudge.
-- If the hold was released and there is a next request, the values from code on follow as in shareacquire.lua
--   5  RELEASED   the request held a part of the lock
--   6  FORGOTTEN  the server has lost the hold, and no request that conflicts with it has held the lock since
--   7  NOT_HELD   any other case

local request = ARGV[1]
--- @include "time"

-- The usual case (no request waits, the entry is the last, and no search is under way) reads and writes no more than
-- necessary. It is only a short form of the general case below.
local read = call('HMGET', KEYS[1], 'h' .. request, 'n', 'at', 'used', 'soon', 'fence', 'all', 'x', 'set', 'head')
local count, taken, fenced = tonumber(read[2]) or 0, tonumber(read[4]) or 0, tonumber(read[6]) or 0
local life = math.max(ARGV[16], (tonumber(read[9]) or 0) > 0 and $SET_MILLIS or 0) -- as write
local index, weight, token = string.match(read[1] or '', '^(%d+) (%d+) (%d+) %d+ %d+ %d+ .+$')
if index and count - index == 0 and weight ~= '0' and not read[10] and fenced > 0 and ARGV[7] == '0' and ARGV[8] == '0'
    and ARGV[9] == '' and (tonumber(read[3]) or 0) == 0
    and (count == 1 or now < (tonumber(read[5]) or math.huge))
    and (tonumber(read[8]) or 0) - now >= life * 7 / 8 and read[4] and read[5] then
  call('HDEL', KEYS[1], 'h' .. request, 'e' .. index)
  local names = {'used', string.format('%d', taken - weight), 'n', count - 1}
  if token == ARGV[2] then
    for i = 6, 7 do
      if read[i] == ARGV[4] then
        names[#names + 1], names[#names + 2] = i == 6 and 'fence' or 'all', ARGV[3]
      end
    end
  end
  if count == 1 then
    names[#names + 1], names[#names + 2] = 'soon', ''
  end
  call('HSET', KEYS[1], unpack(names)) -- not refused after a write, even if memory is full
  return {now, $RELEASED, 0}
end

--- @include "share"
--- @include "serve"
--- @include "shareask"
local keep, restored = tonumber(ARGV[7]), tonumber(ARGV[8])
open(KEYS[1], request)
leave(request)
local mine = hold(request)
local code = $RELEASED
local next
if mine then
  if mine.token == tonumber(ARGV[2]) then
    local last, used = tonumber(ARGV[4]), tonumber(ARGV[3])
    fence = fence == last and used or fence
    all = all == last and used or all
  end
  remove(request)
  bury(request, restored)
  if keep > 0 then
    put(':' .. request, mine.weight, now + keep, 0, 0, 0, '-')
    claims = math.max(claims, now + keep)
  end
  if ARGV[9] ~= '' then
    if now - ARGV[12] > 0 then
      local known = (hold(ARGV[9]) or indexOf(ARGV[9])) and 1 or 0
      next = {$STALE, known, 0, 0, 0, 0, math.max(0, capacity - used)}
    else
      next = {ask(ARGV[9], ARGV[10], ARGV[11], ARGV[13], ARGV[14], ARGV[15], true)}
    end
    next[8], next[9] = capacity, set
  end
else
  code = forgotten(request, ARGV[2], ARGV[5], ARGV[6]) and $FORGOTTEN or $NOT_HELD
  bury(request, restored)
end
local more = serve('')
write(ARGV[16])
if next then
  return {now, code, claimed(more), unpack(next)}
end
return {now, code, claimed(more)}
