-- Tells the client of a request on its own channel, as warn does, that the lock was taken away, or that its capacity
-- has changed.
-- See OwnerMessage.
-- Needs: serve.
local function warn(request, what)
  local channel = string.match(string.sub(key, 1, string.find(key, ':{', 1, true)), '^(.*:)[^:]*:$') .. 'told:'
  redis.pcall('PUBLISH', channel .. clientOf(request), origin .. ' ' .. what .. string.format(' %.0f ', now) .. request
    .. ' ' .. key)
end
