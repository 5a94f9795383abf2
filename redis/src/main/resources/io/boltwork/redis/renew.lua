-- Extends leases. Each lock has its own outcome; a key of another type spoils only its own.
-- See docs/inside/protocol.md#renew-and-verify.
-- If a lock is shared with Redisson, as many keys follow again: for each lock Redisson's hash, or the same key if it is
-- not shared.
-- KEYS
--   n  the hashes of the locks
-- ARGV
--   1  not-after, ms
--   2  the beginning that all requests share
--   3  lease, ms; empty if the leases or takeover delays differ
--   4  takeover delay, ms
--   5  idle life: how long the key of an unused lock lives, ms
--   6  a MessagePack array: for each key the rest of the request, the first token and, if they differ, lease and
--      takeover delay
-- Returns {server ms}, and for each key with another outcome than OK its number, the code and the owner
--   8   OK         the lease was extended and a claim confirmed
--   21  WANTED     the same, and others wait for the lock, which its client may retain
--   6   FORGOTTEN  no request owns the lock, and no token of the hold or above was issued; nothing was written
--   9   LOST       the request does not own the lock with that token
--   4   STALE      not-after has passed and nothing was changed
--   10  BROKEN     the key has another type

--- @include "time"
local key, owner, ends, claim, head, tail, expires, lapsed, signals
--- @include "save"
--- @include "extend"
--- @include "client"
--- @include "retained"
--- @include "ring"
local hasConditions = true -- one of the locks may have some
--- @include "condition"
--- @include "touch"

local stale = now - ARGV[1] > 0
local result = {now}
local lease, takeover = ARGV[3], ARGV[4]
local differ = lease == ''
local text, expiry
local items = cmsgpack.unpack(ARGV[6])
local at = 1
local count = #items / (differ and 4 or 2)
for i = 1, count do
  key = KEYS[i]
  local theirs = KEYS[count + i] ~= key and KEYS[count + i]
  local request, first = ARGV[2] .. items[at], items[at + 1]
  if differ then
    lease, takeover = items[at + 2], items[at + 3]
  end
  at = at + (differ and 4 or 2)
  -- The usual case, a lock that the request owns and for which none waits, reads and writes no more than necessary. It
  -- is only a short form of the general case below. Numbers of one length compare as texts, which is cheaper.
  if differ or i == 1 then
    text = string.format('%d', now + lease + takeover)
    expiry = string.format('%d', now + lease + takeover + ARGV[5] * 7 / 8)
  end
  local read = redis.pcall('HMGET', key, 'owner', 'token', 'until', 'claim', 'x', 'head')
  local code = $BROKEN
  local before, x = read[3] or '', read[5] or ''
  if read[1] == request and tonumber(read[2]) == first and read[4] == '' and not read[6] and before <= text
    and #x == #text and x >= expiry and not stale and not theirs then
    code = $OK
    save('until', text)
  elseif not read.err then
    read = call('HMGET', key, 'owner', 'token', 'until', 'claim', 'fence', 'head', 'tail', 'x', 'lapsed', 'signals')
    owner, ends, claim = read[1] or '', tonumber(read[3]) or 0, read[4] or ''
    head, tail, expires, lapsed = tonumber(read[7]) and tonumber(read[6]), tonumber(read[7]), tonumber(read[8]), read[9]
    signals = read[10]
    found, gone, stored, due, unused = {}, {}, nil, nil, nil
    if stale then
      code = $STALE
    elseif owner == request and tonumber(read[2]) == first and not (theirs
      and redis.pcall('HEXISTS', theirs, owner) ~= 1) then
      code = $OK
      extend(lease, takeover)
      if theirs then
        call('PEXPIRE', theirs, ends - now)
      end
      leave(request)
      touch(ARGV[5])
      if head and isRetained(request) then
        code = $WANTED
      end
    elseif (owner == '' or now >= ends) and (tonumber(read[5]) or 0) < first and not theirs then
      code = $FORGOTTEN
    else
      code = $LOST
      leave(request)
    end
  end
  if code ~= $OK then
    local n = #result
    result[n + 1], result[n + 2], result[n + 3] = i, code, code == $BROKEN and '' or owner
  end
end
return result
