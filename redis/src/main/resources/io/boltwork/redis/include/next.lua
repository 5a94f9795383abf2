-- Gives a free lock, as a claim, to the first in the queue whose client listens; who does not listen is forgotten.
-- Stops if the asker itself stands first. A message also reaches those who listen at the server's replicas, because
-- Redis replicates it: it says from which server it is (the last of ARGV). In a cluster with sharded channels that ends with
-- ':' and the hash tag of the slot's channels.
-- Needs: lapse, own.
local function giveToNext(asker)
  while head do
    local lease, takeover, request = string.match(call('HGET', key, 'q' .. head), '^(%d+) (%d+) %d+ (.*)$')
    if request == asker then
      return
    end
    leave(request)
    local first = math.max(fence + 1, us)
    local claimed = math.min(lease, 3000)
    local mark = ARGV[#ARGV]
    local channel = string.sub(key, 1, string.find(key, ':{', 1, true)) .. 'grants:'
    local message = mark .. string.format(' %.0f %.0f %.0f ', first, now, claimed) .. request .. ' ' .. key
    local tag, heard = string.match(mark, ':(.+)')
    if tag then
      heard = call('SPUBLISH', channel .. '{' .. tag .. '}:' .. clientOf(request), message)
    else
      heard = call('PUBLISH', channel .. clientOf(request), message)
    end
    if heard > 0 then
      own(request, claimed, takeover, '1')
      return
    end
  end
end
