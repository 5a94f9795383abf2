-- The requests that wait for conditions. They are not in the queue until they are signalled.
-- c:<condition> = '<requests> <first request> <last request>'. w<request> = '<lease> <takeover> <request before>
-- <request behind> <condition>', '-' for no request; the first one's before means nothing.
-- signals = MessagePack of {condition, requests, ...}: signals that are due, and for how many requests of a condition;
-- '' for none. The field exists since the first wait for a condition.
-- A signalled request has the end ' +<condition>' in its entry in the queue, and '+<condition>' in its claim. If it
-- does not take the lock, the signal is due again.
-- The functions exist only if hasConditions is true: most locks have none, and each function would cost them time.
-- Needs: time, lock, save, ring, hasConditions.
local due -- signals, unpacked; nil until it is needed
local dueSignals, isWaiting, stopWaiting, startWaiting, signal, signalEach

if hasConditions then
  dueSignals = function()
    due = due or signals ~= '' and cmsgpack.unpack(signals) or {}
    return due
  end

  -- Returns how many requests wait for a condition, the first and the last of them.
  local function waitersOf(condition)
    local requests, first, last = string.match(call('HGET', key, 'c:' .. condition) or '', '^(%d+) (%S+) (%S+)$')
    return tonumber(requests) or 0, first, last
  end

  local function storeWaiters(condition, requests, first, last)
    if requests == 0 then
      call('HDEL', key, 'c:' .. condition)
    else
      save('c:' .. condition, requests .. ' ' .. first .. ' ' .. last)
    end
  end

  -- Returns the parts of a request: lease, takeover delay, the requests before and behind it, its condition. Returns
  -- nil if it does not wait: a foreign hand may have torn the list. Those that are lost with it ask for the lock at
  -- their next poll.
  local function waiter(request)
    return string.match(call('HGET', key, 'w' .. request) or '', '^(%d+) (%d+) (%S+) (%S+) (.*)$')
  end

  local function storeWaiter(request, lease, takeover, before, behind, condition)
    save('w' .. request, lease .. ' ' .. takeover .. ' ' .. before .. ' ' .. behind .. ' ' .. condition)
  end

  isWaiting = function(request)
    return call('HGET', key, 'w' .. request) -- a user needs no other right than for locks
  end

  -- Ends a request's wait for a condition. Returns whether there was one.
  stopWaiting = function(request)
    if not isWaiting(request) then
      return false
    end
    local _, _, before, behind, condition = waiter(request)
    local requests, first, last = waitersOf(condition)
    call('HDEL', key, 'w' .. request)
    if request == first then
      first = behind
    else
      local lease, takeover, other = waiter(before)
      if lease then
        storeWaiter(before, lease, takeover, other, behind, condition)
      else
        requests = 0
      end
    end
    if request == last then
      last = before
    elseif behind ~= first then
      local lease, takeover, _, other = waiter(behind)
      if lease then
        storeWaiter(behind, lease, takeover, before, other, condition)
      else
        requests = 0
      end
    end
    storeWaiters(condition, math.max(0, requests - 1), first, last)
    return true
  end

  -- Lets a request wait for a condition, behind those that wait already.
  startWaiting = function(request, lease, takeover, condition)
    stopWaiting(request)
    local requests, first, last = waitersOf(condition)
    local itsLease, delay, before -- of the last one
    if requests > 0 then
      itsLease, delay, before = waiter(last)
    end
    if itsLease then
      storeWaiter(last, itsLease, delay, before, request, condition)
    else
      requests, first, last = 0, nil, nil
    end
    storeWaiter(request, lease, takeover, last or '-', '-', condition)
    storeWaiters(condition, requests + 1, first or request, request)
    if not signals then
      signals = ''
      save('signals', signals)
    end
  end

  -- Makes signals due for the first requests of a condition, if there are any.
  signal = function(condition, requests)
    local most = waitersOf(condition)
    if most > 0 then
      signals = signals or '' -- a foreign hand may have deleted it
      local due = dueSignals()
      for i = 1, #due, 2 do
        if due[i] == condition then
          due[i + 1] = math.min(due[i + 1] + requests, most)
          return
        end
      end
      local n = #due
      due[n + 1], due[n + 2] = condition, math.min(requests, most)
    end
  end

  -- Makes signals due: a MessagePack array of conditions, each with a number of requests.
  signalEach = function(packed)
    local signalled = cmsgpack.unpack(packed)
    for i = 1, #signalled, 2 do
      signal(signalled[i], signalled[i + 1])
    end
  end

  -- Moves requests of a condition to the tail of the queue. Those of clients that are known to be gone are dropped.
  -- Returns for how many there was no request or no place, how many requests still wait, and whether any was moved.
  local function moveToQueue(condition, count)
    local requests, request, last = waitersOf(condition)
    local moved = false
    while count > 0 and requests > 0 and slots.left > 0 do
      local lease, takeover, _, behind = waiter(request)
      if not lease then
        requests = 0
        break
      end
      call('HDEL', key, 'w' .. request)
      requests = requests - 1
      slots.left = slots.left - 1
      if not deaf[clientOf(request)] and not silent[clientOf(request)] then
        if not head then
          head, tail = 1, 1
        end
        found[tail] = lease .. ' ' .. takeover .. string.format(' %.0f ', now) .. request .. ' +' .. condition
        save('q' .. tail, found[tail], 'r' .. request, tail)
        tail = tail + 1
        count = count - 1
        moved = true
      end
      request = behind
    end
    storeWaiters(condition, requests, request, last)
    if moved then
      save('head', head, 'tail', tail)
    end
    return count, requests, moved
  end

  -- Moves the requests for which signals are due to the queue, as far as places may be used. Returns whether any was.
  move = function()
    for _, condition in ipairs(unused or {}) do
      signal(condition, 1)
    end
    unused = nil
    local due, any = dueSignals(), false
    while due[1] and slots.left > 0 do
      local left, others, moved = moveToQueue(due[1], due[2])
      any = any or moved
      if left > 0 and others > 0 then
        due[2] = left
      else
        table.remove(due, 1)
        table.remove(due, 1)
      end
    end
    local text = due[1] and cmsgpack.pack(due) or ''
    if text ~= signals then
      signals = text
      save('signals', signals)
    end
    return any
  end
end
