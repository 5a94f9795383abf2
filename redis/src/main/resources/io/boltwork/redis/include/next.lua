-- Gives a free lock, as a claim, to the first request in the queue whose client listens. Requests before it are
-- removed. Stops if the asker itself is the first. Returns whether it stopped because no more places may be examined.
-- Needs: tell, lapse, own, condition, recall.
local function giveToNext(asker)
  local more = false
  while head do
    local lease, mark, takeover, entered, request, _, signalled = settle()
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
    if tell(request, math.max(fence + 1, us), claimed, signalled ~= '') > 0 then
      own(request, claimed, takeover, kind .. signalled)
      settle()
      break
    end
    deaf[clientOf(request)] = true
    leaveUnused(signalled)
  end
  if head then
    flush()
  end
  granted()
  return more and head
end

-- Does what giveToNext does. If the queue has no more requests because signals were not used, the next requests of
-- their conditions follow.
local function giveToOthers(asker)
  local more, moved = false, true
  while owner == '' and not more and moved do
    more = giveToNext(asker)
    moved = signals and move()
  end
  return more
end
