-- An HSET that works even when memory is full. The server then refuses the first write of a script, but not later ones.
-- Needs: key, time.
local function save(...)
  if type(redis.pcall('HSET', key, ...)) == 'table' then
    call('HDEL', key, '')
    call('HSET', key, ...)
  end
end
