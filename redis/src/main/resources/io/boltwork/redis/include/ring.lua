-- The queue, a ring of entries q<head> to q<tail - 1> = '<lease> <takeover> <entered, server ms> <request>', with holes
-- where one was taken out, but never at the head. r<request> = its index, so that a request enters once. An empty ring
-- has no fields.
-- Needs: time, lock.

-- Up to n entries from index i on; false for a hole.
local function entries(i, n)
  local names = {}
  for j = i, math.min(i + n, tail) - 1 do
    names[#names + 1] = 'q' .. j
  end
  return call('HMGET', key, unpack(names))
end

-- Moves the head to the first entry from where it is on.
local function skipHoles()
  local n = 1
  while head < tail do
    local found = entries(head, n)
    for j = 1, #found do
      if found[j] then
        head = head + j - 1
        call('HSET', key, 'head', head)
        return
      end
    end
    head = head + #found
    n = math.min(4 * n, 1000)
  end
  call('HDEL', key, 'head', 'tail')
  head, tail = nil, nil
end

-- Where a request stands, or nil.
local function indexOf(request)
  return head and tonumber(call('HGET', key, 'r' .. request))
end

-- Takes a request out of the queue, if it is there.
local function leave(request)
  local i = indexOf(request)
  if i then
    call('HDEL', key, 'q' .. i, 'r' .. request)
    if i == head then
      head = head + 1
      skipHoles()
    elseif i == tail - 1 then
      tail = i
      call('HSET', key, 'tail', tail)
    end
  end
end
