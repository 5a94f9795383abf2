-- The queue is a ring of entries q<head> to q<tail - 1> = '<lease> <takeover> <entered, server ms> <request>', with
-- '<takeover>/<weight>' in a shared lock. A removed entry leaves a hole. r<request> = its index, so that a request
-- enters once. An empty ring has no fields.
-- An entry that ends with ' +<condition>' has taken a signal of that condition, see condition.
-- '<lease>*' marks an entry that is in the queue for the second time, after its first claim was short and lapsed.
-- late:<client> exists while the client has such an entry.
-- gone:<client> = i: a claim of the client has lapsed, so its entries below i do not count. q<i> = '- 0 <when, server
-- ms> <client>' ends this when the head passes.
-- lapsed = '<end of short claims> <when a full claim lapsed last, both server ms> <no gone:<client> is larger>'.
-- One call examines or moves at most slots.left places; the scripts of a group share them. After that the head may be a
-- hole, or an entry that does not count. See docs/inside/protocol.md#the-record-on-the-server.
-- Needs: time, lock, client, save.
local slots = KEYS.slots or {left = $PLACES_PER_STEP}
local found, gone, deaf, stored = {}, {}, {}, nil
local silent = {} -- the clients of which a claim has lapsed during this call, with their queued requests
local unused -- the conditions of entries that left the queue without using their signals; nil for none
local move -- in condition
local reach = 1 -- the number of entries to read at once next time

-- Returns the parts of lapsed, 0 for unknown ones.
local function lapses()
  local short, since, below = string.match(lapsed or '', '^(%d+) (%d+) (%d+)$')
  return tonumber(short) or 0, tonumber(since) or 0, tonumber(below) or 0
end

-- Returns whether an entry does not count, because a claim of its client has lapsed.
local function isGone(request, i)
  local _, _, below = lapses()
  if i >= below then
    return false
  end
  local client = clientOf(request)
  gone[client] = gone[client] or tonumber(call('HGET', key, 'gone:' .. client)) or 0
  return i < gone[client]
end

-- Gives back the signal of an entry that leaves the queue without using it. The entry's end is then '+<condition>'.
local function leaveUnused(signalled)
  if signalled ~= '' then
    unused = unused or {}
    unused[#unused + 1] = string.sub(signalled, 2)
  end
end

-- Moves the head to the next entry that counts, and returns its parts: lease, mark, takeover delay, when it entered,
-- request, weight, '+<condition>' or ''. Removes the entries that the head passes. Returns nil if there is none, or if
-- no more places may be examined.
local function settle()
  local entry, names = {}, {}
  stored = stored or head
  while head < tail and slots.left > 0 and not entry[5] do
    if found[head] == nil then
      local window = {}
      for i = head, math.min(head + math.min(reach, slots.left), tail) - 1 do
        window[#window + 1] = 'q' .. i
      end
      reach = math.min(4 * reach, 100)
      for i, text in ipairs(call('HMGET', key, unpack(window))) do
        found[head + i - 1] = text
      end
    end
    slots.left = slots.left - 1
    local text = found[head]
    if text then
      local lease, mark, takeover, weight, since, request, signalled =
          string.match(text, '^(%d+)(%*?) (%d+)/?(%d*) (%d+) (%S+) ?(.*)$')
      if request and not isGone(request, head) and not deaf[clientOf(request)] then
        entry = {lease, mark, takeover, since, request, weight, signalled}
      else
        leaveUnused(request and signalled or '')
        names[#names + 1] = 'q' .. head
        names[#names + 1] = request and 'r' .. request or 'gone:' .. (string.match(text, '^%- 0 %d+ (.*)$') or '')
        if mark == '*' then
          names[#names + 1] = 'late:' .. clientOf(request)
        end
      end
    end
    if not entry[5] then
      head = head + 1
    end
  end
  if #names > 0 then
    call('HDEL', key, unpack(names))
  end
  return unpack(entry, 1, 7)
end

-- Writes the new head. Deletes what is known of lapsed claims once it means nothing any more.
local function flush()
  local short, _, below = lapses()
  if head >= tail then
    call('HDEL', key, 'head', 'tail')
    head, tail, stored = nil, nil, nil
    gone = {} -- the head has passed all marks, and the places begin at 1 again
  elseif head ~= stored then
    save('head', head)
    stored = head
  end
  if lapsed and now >= short and not (head and head <= below) then
    call('HDEL', key, 'lapsed')
    lapsed = nil
  end
end

-- Returns the entry at an index if it is one of that request. A foreign hand may have deleted it, and left the index.
local function entryOf(request, i)
  local text = found[i] or call('HGET', key, 'q' .. i) or ''
  return string.match(text, '^%d+%*? %d+/?%d* %d+ (%S+)') == request and text
end

-- Returns the index of a request, or nil.
local function indexOf(request)
  local i = head and tonumber(call('HGET', key, 'r' .. request))
  return i and i >= head and i < tail and not isGone(request, i) and entryOf(request, i) and i
end

-- Removes a request from the queue, if it is there.
local function leave(request)
  local i = head and tonumber(call('HGET', key, 'r' .. request))
  local text = i and entryOf(request, i)
  if i and not text then
    call('HDEL', key, 'r' .. request)
  elseif i then
    if lapsed and isGone(request, i) then
      leaveUnused(string.match(text, ' (%+.*)$') or '')
    end
    call('HDEL', key, 'q' .. i, 'r' .. request, 'late:' .. clientOf(request))
    found[i] = false
    if i == head then
      settle()
      flush()
    elseif i == tail - 1 then
      tail = i
      call('HSET', key, 'tail', tail)
    end
    if unused then
      move()
    end
  end
end
