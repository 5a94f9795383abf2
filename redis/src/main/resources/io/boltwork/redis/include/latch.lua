-- Reads the record of a latch. Defines what its scripts share.
-- Needs: key, time, origin.
--   count       0 if it was never set
--   generation  when it was set last, us; 0 if it was never set
--   ended       earlier generations that have ended, separated by blanks, the oldest first
--   setters     the changes that set the count, separated by blanks, the latest last
--   waiting     the clients that wait, separated by blanks
-- Each change that was counted in this generation has a field i:<id>.
local read = call('HMGET', key, 'count', 'generation', 'setters', 'ended', 'waiting')
local count, generation, setters = tonumber(read[1]) or 0, tonumber(read[2]) or 0, read[3] or ''
local ended, waiting = read[4] or '', read[5] or ''

local function contains(list, word)
  return string.find(' ' .. list .. ' ', ' ' .. word .. ' ', 1, true)
end

-- Returns a list with one more word, and without its first word if it has more than that many.
local function add(list, word, most)
  list = list == '' and word or list .. ' ' .. word
  local _, words = string.gsub(list, '%S+', '')
  return words > most and string.gsub(list, '^%S+ ', '') or list
end

-- Remembers that a generation has ended.
local function finish(which)
  if not contains(ended, which) then
    ended = add(ended, which, $ENDED_REMEMBERED)
  end
end

local function answer(code)
  return {now, code, count, generation, tonumber(string.match(ended, '%d+$') or 0)}
end

local function touch()
  call('PEXPIRE', key, $LATCH_MILLIS)
end

-- Writes the whole record. The ids of a generation that has ended go with the old key.
local function rewrite()
  call('DEL', key)
  call('HSET', key, 'count', string.format('%d', count), 'generation', string.format('%.0f', generation), 'setters',
    setters, 'ended', ended, 'waiting', waiting)
  touch()
end

-- Tells clients that a generation has ended. A client that cannot be told learns of it from its next question.
local function tell(clients, which)
  local channel = string.match(string.sub(key, 1, string.find(key, ':{', 1, true)), '^(.*:)[^:]*:$') .. 'told:'
  for client in string.gmatch(clients, '%S+') do
    redis.pcall('PUBLISH', channel .. client, origin .. string.format(' %.0f %.0f - ', which, now) .. key)
  end
end
