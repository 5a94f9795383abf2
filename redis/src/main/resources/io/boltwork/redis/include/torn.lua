-- Returns head and tail of a queue of which a foreign hand has deleted one or both: those of the entries that are
-- there. A user without the right to HGETALL gets none, and the requests enter anew when they ask.
-- Needs: key, time.
local function foundQueue(request)
  local first, last
  for _, name in ipairs(redis.pcall('HGETALL', key)) do
    local i = tonumber(string.match(name, '^q(%d+)$'))
    if i then
      first, last = math.min(first or i, i), math.max(last or 0, i + 1)
    end
  end
  if first then
    redis.pcall('HSET', key, 'head', first, 'tail', last) -- if memory is full, the next command does it
  else
    call('HDEL', key, 'head', 'tail', 'r' .. request)
  end
  return first, last
end
