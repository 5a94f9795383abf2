-- Gives a free lock, as a claim, to the first in the queue whose client listens; who does not listen is forgotten.
-- Stops if the asker itself stands first.
-- Needs: tell, lapse, own.
local function giveToNext(asker)
  while head do
    local lease, takeover, request = string.match(call('HGET', key, 'q' .. head), '^(%d+) (%d+) %d+ (.*)$')
    if request == asker then
      return
    end
    leave(request)
    local claimed = math.min(lease, 3000)
    if tell(request, math.max(fence + 1, us), claimed) > 0 then
      own(request, claimed, takeover, '1')
      return
    end
  end
end
