-- An HSET that works when memory is full: a server refuses the first write of a script then, but not the later ones.
-- Needs: key, time.
local function save(...)
  if type(redis.pcall('HSET', key, ...)) == 'table' then
    call('HDEL', key, '')
    call('HSET', key, ...)
  end
end
