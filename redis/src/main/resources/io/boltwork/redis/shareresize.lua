-- Sets the capacity of a shared lock, and grants what is free to those that wait. If it has become smaller, each client
-- that holds a part or waits is told '<<capacity>', because requests that no longer fit are refused for good.
-- See docs/inside/protocol.md#shared-locks.
-- KEYS
--   1  the hash of the lock
-- ARGV
--   1  the new capacity
--   2  idle life: how long the key of an unused lock lives, ms
--   3  origin, for messages
-- Returns {server ms, capacity, when it was set, us, claim ms}; claim ms is -1 if more waiting requests must be
-- examined: nudge

--- @include "time"
--- @include "share"
--- @include "serve"
--- @include "sharewarn"
open(KEYS[1], '')
local requests, seen = {}, {} -- a request of each client

local function remember(request)
  local client = clientOf(request)
  if not seen[client] then
    seen[client] = true
    requests[#requests + 1] = request
  end
end

if tonumber(ARGV[1]) < capacity then
  loadAll()
  for i = 1, n do
    if string.sub(ids[i], 1, 1) ~= ':' then
      remember(ids[i])
    end
  end
  for i = head or 0, (tail or 0) - 1, 100 do
    local names = {}
    for place = i, math.min(i + 99, tail - 1) do
      names[#names + 1] = 'q' .. place
    end
    for j, text in ipairs(call('HMGET', key, unpack(names))) do
      local request = string.match(text or '', '^%d+%*? %d+/?%d* %d+ (%S+)')
      if request and not isGone(request, i + j - 1) then
        remember(request)
      end
    end
  end
end
capacity, set = tonumber(ARGV[1]), math.max(set + 1, us)
local more = serve('')
write(ARGV[2])
for _, request in ipairs(requests) do
  warn(request, '<' .. ARGV[1])
end
return {now, capacity, set, claimed(more)}
