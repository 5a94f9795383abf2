-- Asks for the lock: verdict, whether the request was known, its token or what is left of the owner's lease, position.
-- Needs: time, next, extend.

-- Rewrites a ring that is mostly holes.
local function pack()
  local free = head
  for i = head, tail - 1 do
    local entry = call('HGET', key, 'q' .. i)
    if entry then
      if i > free then
        call('HDEL', key, 'q' .. i)
        call('HSET', key, 'q' .. free, entry, 'r' .. string.match(entry, '^%d+ %d+ %d+ (.*)$'), free)
      end
      free = free + 1
    end
  end
  tail = free
end

local function ask(request, lease, takeover, queue)
  if owner == request and now < ends then
    leave(request)
    extend(lease, takeover)
    return 1, 1, token, 0
  end
  local known = 1
  if owner ~= request then
    lapse()
    known = indexOf(request) and 1 or 0 -- not before: a claim of the same client may have lapsed, and taken it along
    if owner == '' then
      giveToNext(request)
    end
  end
  if owner == '' or owner == request then
    leave(request)
    own(request, lease, takeover, '')
    return 1, known, token, 0
  end
  if not queue then
    return 3, known, ends - now, 0
  end
  local i = indexOf(request)
  if not i then
    if not head then
      head, tail = 1, 1
    elseif tail - head >= 1000 and call('HLEN', key) < tail - head then
      pack()
    end
    i = tail
    tail = tail + 1
    local entry = string.format('%s %s %.0f ', lease, takeover, now) .. request
    call('HSET', key, 'head', head, 'tail', tail, 'q' .. i, entry, 'r' .. request, i)
  end
  return 2, known, ends - now, i - head + 1
end
