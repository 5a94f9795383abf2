-- Answers whether a latch is open, and notes whether a client waits for that.
-- See docs/inside/protocol.md#latches.
-- KEYS
--   1  the hash of the latch
-- ARGV
--   1  the id of the client, empty to change nothing
--   2  the generation that is meant, us; 0 for the current or the first one
--   3  1 if the client waits, 0 if not
-- Returns {server ms, code, count, generation, the generation that had ended when it began}
--   18  OPEN     the generation has ended
--   19  CLOSED   the generation has not ended, or has not begun
--   12  UNKNOWN  the server does not know the generation

--- @include "time"
local key, origin = KEYS[1], ''
--- @include "latch"
local client, meant = ARGV[1], tonumber(ARGV[2])
local code = generation > 0 and count == 0 and $OPEN or $CLOSED
if meant > 0 and meant ~= generation then
  code = contains(ended, ARGV[2]) and $OPEN or $UNKNOWN
end
local waits = ARGV[3] == '1' and code == $CLOSED
local before = waiting
if client ~= '' and waits and not contains(waiting, client) then
  waiting = waiting == '' and client or waiting .. ' ' .. client
elseif client ~= '' and not waits and contains(waiting, client) then
  local rest = {}
  for other in string.gmatch(waiting, '%S+') do
    if other ~= client then
      rest[#rest + 1] = other
    end
  end
  waiting = table.concat(rest, ' ')
end
if waiting ~= before then
  call('HSET', key, 'waiting', waiting)
end
if generation > 0 or waiting ~= '' then
  touch()
elseif before ~= '' then -- it states nothing
  call('DEL', key)
end
return answer(code)
