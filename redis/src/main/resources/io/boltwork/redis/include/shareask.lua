-- Asks for a part of a shared lock. Returns the verdict, whether the request was known, its token or the time until the
-- first lease may end, its position (or -1 with a grant: more to do), the weight and the last token of the block, what
-- is free.
-- Needs: serve.
local function granted(entry, position, known)
  return $GRANTED, known, entry.token, position, entry.weight, entry.last, 0
end

local function refused(verdict, known, rest, position)
  return verdict, known, rest, position, 0, 0, math.max(0, capacity - used)
end

local function ask(request, lease, takeover, weight, of, when, queue)
  local larger = adopt(of, when)
  weight = tonumber(weight)
  local client = clientOf(request)
  if string.match(blocker, '^%d+ (.*)$') == client then
    blocker = string.format('%.0f ', now) .. client
  end
  local mine = hold(request)
  if mine and mine.ends > now then
    extend(mine, lease, takeover)
    leave(request)
    return granted(mine, larger and serve('') and -1 or 0, 1)
  end
  if mine then
    remove(request)
  end
  if weight > capacity then
    local known = (mine or indexOf(request)) and 1 or 0
    leave(request)
    serve('') -- its place, or its hold that has ended, may have kept others waiting
    return refused($TOO_LARGE, known, 0, 0)
  end
  local more = serve(request)
  local place = indexOf(request)
  local known = (mine or place) and 1 or 0
  if not more and (not head or place == head) then
    if used + weight <= capacity then
      local token = math.max(fence + 1, us)
      local last = math.max(token, us + $BLOCK_END)
      local entry = put(request, weight, now + lease + takeover, token, last, tonumber(lease), '-', true)
      raise(entry)
      leave(request)
      return granted(entry, serve('') and -1 or 0, known)
    end
    more = now >= soon
  end
  local rest = (more or soon == never) and 0 or math.max(0, soon - now)
  local position = 0
  if queue then
    position = enter(request, lease, takeover .. '/' .. string.format('%.0f', weight)) - head + 1
  end
  if more then
    return refused($AGAIN, known, rest, position)
  end
  return refused(queue and $QUEUED or $REFUSED, known, rest, position)
end
