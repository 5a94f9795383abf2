-- Recalls a lock that its last client may retain. A message may be lost, so renewals say it as well. See
-- docs/inside/protocol.md#retained-leases.
-- Needs: key, time, lock, client, ring, retained.
local function recall()
  local channel = string.sub(key, 1, string.find(key, ':{', 1, true)) .. 'told:' .. clientOf(owner)
  redis.pcall('PUBLISH', channel, ARGV[#ARGV] .. string.format(' ?%.0f %.0f ', token, now) .. owner .. ' ' .. key)
end

-- Recalls the lock from its new owner, if others wait already.
local function granted()
  if head and isRetained(owner) then
    recall()
  end
end

-- Returns the first request in the queue, or nil.
local function first()
  local request
  if head then
    request = select(5, settle())
    flush()
  end
  return request
end

-- Returns whether no other request is before that one.
local function isNext(request)
  local other = first()
  return other == request or not head
end

-- Recalls the lock for a request that has been queued. The first request in the queue does so for all, unless it is a
-- late one of the owner's client.
local function recallFor(request)
  local other = first()
  if other and (other == request or clientOf(other) == clientOf(owner)) then
    recall()
  end
end
