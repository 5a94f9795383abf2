-- Shares a lock with Redisson: the owner is the holder in Redisson's hash, too. See docs/move/redisson.md#its-keys.
-- KEYS
--   2  Redisson's hash of the lock. Its only field is the holder: one of Redisson, '<uuid>:<thread>', or our owner
--   3  Redisson's counter of fencing tokens
--   4  Redisson's queue of a fair lock
-- While Redisson holds the lock, or may take it, the lock is closed: its owner is '-', as after a release with a keep
-- time, but not in the record.
-- bridge = '<turns> <since> <left until>': how many grants ago and since when Redisson has had a chance to get the
-- lock, and until when the lock is left to Redisson, both server ms.
-- Needs: time, lock, save, client, lapse.
--- @include "warn"
local recorded, fields = owner, redis.pcall('HLEN', KEYS[2])
if type(fields) == 'table' and not string.find(fields.err, 'WRONGTYPE', 1, true) then
  return fields
end
if type(fields) == 'table' or fields > 1 then
  return redis.error_reply('UNBRIDGED the key of Redisson is not that of a plain lock')
end
if not read[11] and (head or owner ~= '' and now < ends) then
  return redis.error_reply('UNBRIDGED a client without the bridge uses the lock')
end
local holder = fields == 1 and call('HKEYS', KEYS[2])[1] or ''
local theirs = holder ~= '' and holder ~= owner
local turns, since, left = string.match(read[11] or '', '^(%d+) (%d+) (%d+)$')
turns, since, left = tonumber(turns) or 0, tonumber(since) or now, tonumber(left) or 0
local issued = tonumber(call('GET', KEYS[3]) or 0) or 0
fence = math.max(fence, issued)
if holder ~= owner and now < ends then -- Redisson has taken the lock away, or the server has lost one of the two keys
  if owner ~= '' and owner ~= '-' then
    warn(owner, token)
  end
  ends = now
end
lapse()
local shut = left -- until when the lock is closed, or nil
if theirs then
  turns, since, left = 0, now, 0
  local rest = call('PTTL', KEYS[2])
  shut = now + (rest < 0 and $BRIDGE_POLL_MILLIS or math.min(math.max(rest, 1), $BRIDGE_LONGEST_MILLIS))
end
if owner == '' and shut > now then
  owner, ends, claim = '-', shut, ''
else
  shut = nil
end

local channel, woken = 'redisson_lock__channel:{' .. KEYS[2] .. '}', false

-- Returns whether clients of Redisson may wait for the lock. Clients of Boltwork that listen on Redisson's channel
-- listen on a channel of their own, too, so that they can be told apart. Listeners on a sharded channel are not
-- counted: there may be some.
local function isAwaited()
  local own = string.sub(key, 1, string.find(key, ':{', 1, true)) .. 'bridge:{' .. KEYS[2] .. '}'
  local listening = redis.pcall('PUBSUB', 'NUMSUB', channel, own)
  return listening.err or listening[2] > listening[4] or string.find(ARGV[#ARGV], ':', 1, true)
end

-- Wakes the clients that wait for the lock, in each of the two ways in which they may listen.
local function wake()
  redis.pcall('PUBLISH', channel, '0')
  if string.find(ARGV[#ARGV], ':', 1, true) then
    redis.pcall('SPUBLISH', channel, '0')
  end
  woken = true
end
