-- Tells the first clients that wait for the vote that it is free, and forgets them. They are told on the channel that
-- warn uses. watchers = '<client> <until, server ms> <client> <until> ...', the oldest first. Some may have expired.
-- Needs: key, time. The script has written before, because no client may hear of a change that the server refuses.
local function free(watchers)
  local told, rest = {}, #watchers + 1
  for client, ends, behind in string.gmatch(watchers, '(%S+) (%d+) ?()') do
    if now - ends < 0 then
      told[#told + 1] = client
    end
    if #told == $WATCHERS_TOLD then
      rest = behind
      break
    end
  end
  if rest > #watchers then
    call('HDEL', key, 'watchers')
  else
    call('HSET', key, 'watchers', string.sub(watchers, rest))
  end
  local channel = string.sub(key, 1, string.find(key, ':{', 1, true)) .. 'told:'
  for _, client in ipairs(told) do
    redis.pcall('PUBLISH', channel .. client, ARGV[#ARGV] .. string.format(' 0 %.0f + ', now) .. key)
  end
end
