-- Tells a client that the lock was taken away from a request of its own. In a cluster, too, that is a channel of the client and
-- not of the slot: a holder may listen to none there. It says from which server it is, as in tell. A message that the user may not
-- send is not sent: the holder learns it later.
-- Needs: key, time, client.
local function warn(request, first)
  local channel = string.sub(key, 1, string.find(key, ':{', 1, true)) .. 'told:' .. clientOf(request)
  redis.pcall('PUBLISH', channel, ARGV[#ARGV] .. string.format(' %.0f %.0f ', first, now) .. request .. ' ' .. key)
end
