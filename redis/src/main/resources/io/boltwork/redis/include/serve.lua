-- Grants what is free of a shared lock to those that wait.
-- Needs: share.
local origin = ARGV[#ARGV]
slots.grants = slots.grants or $GRANTS_PER_STEP -- the scripts of a group share them

-- The channel of the grants of a client. The key is '<prefix>:<kind>:{<name>}'.
local function channelOf(client)
  local channel = string.match(string.sub(key, 1, string.find(key, ':{', 1, true)), '^(.*:)[^:]*:$') .. 'grants:'
  local tag = string.match(origin, ':(.+)')
  return channel .. (tag and '{' .. tag .. '}:' or '') .. client, tag
end

-- Tells a client that its request holds a part of the lock. Returns the number of receivers. See tell.lua for the
-- origin.
local function tell(request, token, last, lease)
  local channel, tag = channelOf(clientOf(request))
  local message = origin .. string.format(' %.0f-%.0f %.0f %.0f ', token, last, now, lease) .. request .. ' ' .. key
  return call(tag and 'SPUBLISH' or 'PUBLISH', channel, message)
end

local function isListening(client)
  local channel, tag = channelOf(client)
  return call('PUBSUB', tag and 'SHARDNUMSUB' or 'NUMSUB', channel)[2] > 0
end

-- Makes all entries of a client in the queue no longer count.
local function drop(client, short, since)
  local earlier = tonumber(call('HGET', key, 'gone:' .. client)) -- of another claim of the client
  if earlier then
    call('HDEL', key, 'q' .. earlier)
    found[earlier] = false
  end
  found[tail] = string.format('- 0 %.0f ', now) .. client
  gone[client] = tail
  lapsed = string.format('%.0f %.0f %.0f', short, since, tail)
  tail = tail + 1
  stored = head
  save('lapsed', lapsed, 'gone:' .. client, tail - 1, 'q' .. tail - 1, found[tail - 1], 'head', head, 'tail', tail)
end

-- A claim has lapsed: as in lapse.lua.
local function lapseClaim(entry)
  local short, since, below = lapses()
  local client = clientOf(entry.id)
  local takeover, entered = string.match(entry.claim, '^(%d+)/(%d+)$')
  if entry.claim == '1' then
    since = now
  end
  if entry.claim == '1' or entered and tonumber(entered) <= since then
    short = now + $SHORT_CLAIMS_LAST_MILLIS
  end
  lapsed = string.format('%.0f %.0f %.0f', short, since, below)
  if entered and not call('HGET', key, 'late:' .. client) then
    if not head then
      head, tail = 1, 1
    end
    found[tail] = string.format('%.0f* %s/%.0f %s ', entry.lease, takeover, entry.weight, entered) .. entry.id
    tail = tail + 1
    stored = head
    save('lapsed', lapsed, 'late:' .. client, '1', 'r' .. entry.id, tail - 1, 'q' .. tail - 1, found[tail - 1], 'head',
      head, 'tail', tail)
  elseif head then
    drop(client, short, since)
  else
    save('lapsed', lapsed)
  end
end

-- Removes an entry that has ended.
local function finish(entry)
  remove(entry.id)
  if entry.claim ~= '-' then
    lapseClaim(entry)
  end
end

-- Removes entries that have ended. Returns whether none is left. A search that an earlier call began is not enough if
-- the least end that it found has passed since.
local function lapse()
  while now >= soon do
    while at < n and slots.left > 0 do
      slots.left = slots.left - 1
      if not ids[at + 1] then
        load(at + 1)
      end
      local entry = ids[at + 1] and find(ids[at + 1])
      if not entry then
        mend()
      elseif entry.ends <= now then
        finish(entry)
      else
        if entry.weight > 0 then
          least = math.min(least, entry.ends)
        end
        at = at + 1
      end
    end
    if at < n then
      return false
    end
    soon, least, at = least, never, 0
  end
  return true
end

-- Removes the entry at the head of the queue.
local function pop(request, mark)
  call('HDEL', key, 'q' .. head, 'r' .. request, mark == '*' and 'late:' .. clientOf(request) or 'r' .. request)
  head = head + 1
end

-- Grants what is free to the first requests in the queue that fit and whose clients listen, until one does not fit or
-- is the asker. Returns whether there is more to do than one call does.
local function serve(asker)
  lapse() -- if it examines all that it may, then settle finds none
  local more = false
  while head do
    local lease, mark, takeover, entered, request, weight = settle()
    if not request or request == asker then
      more = not request
      break
    end
    local client = clientOf(request)
    weight = tonumber(weight) or 1
    if weight > capacity then
      pop(request, mark) -- it learns of it when it asks again
    elseif used + weight <= capacity then
      if slots.grants == 0 then
        more = true
        break
      end
      pop(request, mark)
      local short = lapses() - now
      local claimed, claim = math.min(lease, $CLAIM_MILLIS), '1'
      if short > 0 and short <= $SHORT_CLAIMS_LAST_MILLIS then
        claimed = math.min(claimed, $SHORT_CLAIM_MILLIS)
        claim = mark == '*' and '2' or takeover .. '/' .. entered
      end
      local token = math.max(fence + 1, us)
      local last = math.max(token, us + $BLOCK_END)
      if tell(request, token, last, claimed) > 0 then
        slots.grants = slots.grants - 1
        local entry = put(request, weight, now + claimed + takeover, token, last, tonumber(lease), claim)
        raise(entry)
        claims = math.max(claims, entry.ends)
      else
        deaf[client] = true
      end
    elseif not isListening(client) then
      pop(request, mark)
      deaf[client] = true
    else
      local asked, blocking = string.match(blocker, '^(%d+) (.*)$')
      if blocking ~= client then
        asked = now
        blocker = string.format('%.0f ', now) .. client
      end
      if now - asked < $SILENCE_MILLIS then
        break
      end
      local short, since = lapses()
      drop(client, short, since)
    end
  end
  if head then
    flush()
  end
  return more and head
end

-- Returns the time until all claims and markers end, for waiting clients; -1 if there is more to do.
local function claimed(more)
  if more then
    return -1
  end
  return head and math.max(0, claims - now) or 0
end
