-- Tells a client that the lock was taken away from its request. The channel belongs to the client and not to the slot,
-- in a cluster too, because a holder may listen to no channel of the slot. The message begins with its origin, as in
-- tell. If the user may not publish there, no message is sent, and the holder learns of the loss later.
-- Needs: key, time, client.
local function warn(request, first)
  local channel = string.sub(key, 1, string.find(key, ':{', 1, true)) .. 'told:' .. clientOf(request)
  redis.pcall('PUBLISH', channel, ARGV[#ARGV] .. string.format(' %.0f %.0f ', first, now) .. request .. ' ' .. key)
end
