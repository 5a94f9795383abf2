-- Lets a request enter the queue at its tail.
-- Needs: time, ring, save.

-- Compacts the first hundred places of a ring if at least half of them are holes. This removes at least 50 places, so
-- once in 50 entries is enough.
local function squeeze()
  local window, names, values = {}, {}, {}
  for i = head, head + 99 do
    window[#window + 1] = 'q' .. i
  end
  slots.left = slots.left - 100
  local texts = call('HMGET', key, unpack(window))
  local to = head + 100
  for i = 100, 1, -1 do
    local text = texts[i]
    if text then
      to = to - 1
      local request = string.match(text, '^%d+%*? %d+/?%d* %d+ (%S+)')
      names[#names + 1] = 'q' .. head + i - 1
      for _, value in ipairs({'q' .. to, text, request and 'r' .. request or 'gone:'
        .. (string.match(text, '^%- 0 %d+ (.*)$') or ''), to}) do
        values[#values + 1] = value
      end
    end
  end
  if #names > 0 and #names <= 50 then
    if lapsed then -- the moved entries may include those that end a gone:<client>
      local short, since, below = lapses()
      lapsed = string.format('%.0f %.0f %.0f', short, since, math.max(below, head + 99))
      values[#values + 1], values[#values + 2] = 'lapsed', lapsed
    end
    call('HDEL', key, unpack(names))
    call('HSET', key, unpack(values))
    head, found, gone = to, {}, {}
  end
end

-- Lets a request enter unless it is in the queue already. Returns its index. The takeover delay of a request for a part
-- of a shared lock has the form '<takeover>/<weight>'.
local function enter(request, lease, takeover)
  local i = indexOf(request)
  if not i then
    if lapsed then
      leave(request) -- the remains of an entry that does not count
    end
    if not head then
      head, tail = 1, 1
    elseif tail - head >= 1000 and tail % 50 == 0 and slots.left >= 100 then
      squeeze()
    end
    i = tail
    tail = tail + 1
    found[i] = string.format('%s %s %.0f ', lease, takeover, now) .. request
    stored = head
    call('HSET', key, 'head', head, 'tail', tail, 'q' .. i, found[i], 'r' .. request, i)
  end
  return i
end
