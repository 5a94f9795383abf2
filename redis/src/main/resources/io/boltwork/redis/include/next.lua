-- Gives a free lock, as a claim, to the first request in the queue whose client listens. Requests before it are removed.
-- Stops if the asker itself is the first. Returns whether it stopped because no more places may be examined.
-- Needs: tell, lapse, own.
local function giveToNext(asker)
  local more = false
  while head do
    local lease, mark, takeover, entered, request = settle()
    if not request or request == asker then
      more = not request
      break
    end
    call('HDEL', key, 'q' .. head, 'r' .. request, mark == '*' and 'late:' .. clientOf(request) or 'r' .. request)
    head = head + 1
    local short = lapses() - now
    local claimed, kind = math.min(lease, $CLAIM_MILLIS), '1'
    if short > 0 and short <= $SHORT_CLAIMS_LAST_MILLIS then
      claimed = math.min(claimed, $SHORT_CLAIM_MILLIS)
      kind = mark == '*' and '2' or lease .. ' ' .. takeover .. ' ' .. entered
    end
    if tell(request, math.max(fence + 1, us), claimed) > 0 then
      own(request, claimed, takeover, kind)
      settle()
      break
    end
    deaf[clientOf(request)] = true
  end
  if head then
    flush()
  end
  return more and head
end
