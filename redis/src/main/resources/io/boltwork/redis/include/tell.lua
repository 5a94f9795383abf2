-- Tells a client that its request owns the lock, for a lease that begins now. If the request has taken a signal of a
-- condition, the lease has the end '+'. Returns the number of receivers.
-- Redis replicates messages, so they also reach listeners at replicas. Each message therefore begins with its origin,
-- the run of the server (the last of ARGV). With sharded channels, the origin ends with ':' and the hash tag of the
-- channels of the slot.
-- Needs: key, time, client.
local function tell(request, first, lease, signalled)
  local mark = ARGV[#ARGV]
  local channel = string.sub(key, 1, string.find(key, ':{', 1, true)) .. 'grants:'
  local message = mark .. string.format(' %.0f %.0f %.0f%s ', first, now, lease, signalled and '+' or '') .. request
    .. ' ' .. key
  local tag = string.match(mark, ':(.+)')
  if tag then
    return call('SPUBLISH', channel .. '{' .. tag .. '}:' .. clientOf(request), message)
  end
  return call('PUBLISH', channel .. clientOf(request), message)
end
