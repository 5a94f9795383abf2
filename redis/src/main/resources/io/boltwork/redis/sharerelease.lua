-- Releases a part of a shared lock, asks for another one for the next request, and grants what is free to those that wait.
-- See docs/protocol.md#shared-locks.
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

--- @include "time"
--- @include "share"
--- @include "serve"
--- @include "shareask"
local request, keep, restored = ARGV[1], tonumber(ARGV[7]), tonumber(ARGV[8])
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
