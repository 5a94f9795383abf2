-- HSET that works when memory is full: a server refuses to begin a script's writes with it, not to go on with it.
-- Needs: key, time.
local function save(...)
  if type(redis.pcall('HSET', key, ...)) == 'table' then
    call('HDEL', key, '')
    call('HSET', key, ...)
  end
end
