-- Asks for the lock. Returns the verdict, whether the request was known, its token or the rest of the owner's lease,
-- and its position.
-- The condition is that of the request: '+<condition>' if it still waits to be signalled, '-<condition>' if it no
-- longer does, or ''.
-- Needs: time, next, extend, enter, condition, grant, recall.
local function ask(request, lease, takeover, queue, condition)
  local more = false
  local wait = string.sub(condition, 1, 1)
  if wait == '-' then
    stopWaiting(request)
  elseif wait == '+' and isWaiting(request) then
    grant() -- perhaps to this request, or a signal that is due wakes it
    if isWaiting(request) then
      if call('HGET', key, 'c:' .. string.sub(condition, 2)) then
        return $WAITING, 1, owner == '' and 0 or ends - now, 0
      end
      stopWaiting(request) -- no signal would find it
    end
  end
  if owner == request and now < ends then
    leave(request)
    extend(lease, takeover)
    granted()
    return $GRANTED, 1, token, 0
  end
  local known = 1
  if owner ~= request then
    lapse()
    if signals then
      move()
    end
    known = indexOf(request) and 1 or 0 -- after lapse(), which may have removed it with a claim of its client
    more = giveToOthers(request)
  end
  if owner == '' and not more or owner == request then
    leave(request)
    own(request, lease, takeover, '')
    granted()
    return $GRANTED, known, token, 0
  end
  if more then
    save('owner', '')
  end
  local retained = isRetained(owner) and clientOf(owner) ~= clientOf(request)
  queue = queue or retained and isNext(request)
  if not queue and more then
    return $AGAIN, known, 0, 0
  elseif not queue then
    return $REFUSED, known, ends - now, 0
  end
  local position = enter(request, lease, takeover) - head + 1
  if more then
    return $AGAIN, known, 0, position
  end
  if retained then
    recallFor(request)
  end
  return $QUEUED, known, ends - now, position
end
