-- Tells a client that a request of its own owns the lock for so long from now on; returns how many heard it.
-- A message also reaches those who listen at the server's replicas, because Redis replicates it: it says from which server it
-- is (the last of ARGV). In a cluster with sharded channels that ends with ':' and the hash tag of the slot's channels.
-- Needs: key, time, client.
local function tell(request, first, lease)
  local mark = ARGV[#ARGV]
  local channel = string.sub(key, 1, string.find(key, ':{', 1, true)) .. 'grants:'
  local message = mark .. string.format(' %.0f %.0f %.0f ', first, now, lease) .. request .. ' ' .. key
  local tag = string.match(mark, ':(.+)')
  if tag then
    return call('SPUBLISH', channel .. '{' .. tag .. '}:' .. clientOf(request), message)
  end
  return call('PUBLISH', channel .. clientOf(request), message)
end
