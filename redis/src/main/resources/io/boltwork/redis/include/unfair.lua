-- Refuses a request for a lock that others want as a fair lock of Redisson, because it would pass them over. An owner
-- may still release the lock.
-- Needs: time.
if call('EXISTS', KEYS[4]) == 1 then
  return redis.error_reply('UNBRIDGED others wait for the lock as a fair lock of Redisson')
end
