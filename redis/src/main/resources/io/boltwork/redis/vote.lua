-- Asks a server of a quorum for its vote: the request becomes the owner of the lock, unless the server votes for
-- another one.
-- See docs/inside/protocol.md#votes-of-a-quorum.
-- KEYS
--   1  the hash of the lock
-- ARGV
--   1  request
--   2  lease, ms
--   3  takeover delay, ms
--   4  not-after, ms
--   5  1 to be told when the vote is free, if it is refused now; 0 if not
--   6  idle life: how long the key of an unused lock lives, ms
-- Returns {server ms, code, known, number, owner}
--   1  GRANTED  the request owns the lock; number: its first token; owner may be missing
--   3  REFUSED  the lock is taken, or requests wait in its queue; number: ms until the owner's lease and takeover delay
--               end, or 0
--   4  STALE    not-after has passed and nothing was changed; number: 0

local key = KEYS[1]
local request, life = ARGV[1], ARGV[6]
--- @include "time"
local read = call('HMGET', key, 'owner', 'token', 'until', 'fence', 'head', 'x', 'watchers')
local owner, ends, expires = read[1], tonumber(read[3]) or 0, tonumber(read[6])
local open = owner == '' or now >= ends
local known = owner == request and 1 or 0
if now - ARGV[4] > 0 then
  return {now, $STALE, known, 0, open and '' or owner}
end

local left = ARGV[2] + ARGV[3]
if open and not read[5] then
  local token = math.max((tonumber(read[4]) or 0) + 1, us)
  local text = string.format -- cheaper than passing numbers
  local issued, fence = text('%d', token), text('%d', token + $BLOCK_END)
  if not expires or expires - now - left < life * 7 / 8 then -- as touch
    call('HSET', key, 'owner', request, 'token', issued, 'until', text('%d', now + left), 'claim', '', 'fence', fence,
      'x', text('%d', now + left + life))
    call('PEXPIRE', key, left + life)
  else
    call('HSET', key, 'owner', request, 'token', issued, 'until', text('%d', now + left), 'claim', '', 'fence', fence)
  end
  return {now, $GRANTED, known, token}
end

--- @include "save"
--- @include "touch"
if known == 1 and not open then
  ends = math.max(ends, now + left)
  save('until', ends)
  touch(life)
  return {now, $GRANTED, known, tonumber(read[2])}
end

--- @include "client"
if ARGV[5] == '1' then -- watchers: see freed
  local client, last = clientOf(request), string.format('%d', now + $WATCH_MILLIS)
  local watchers, isNew = {}, true
  for other, theirs in string.gmatch(read[7] or '', '(%S+) (%d+)') do
    if other == client and now - theirs < 0 then
      theirs, isNew = last, false
    end
    if now - theirs < 0 then
      watchers[#watchers + 1] = other .. ' ' .. theirs
    end
  end
  if isNew and #watchers < $WATCHERS then
    watchers[#watchers + 1] = client .. ' ' .. last
  end
  call('HSET', key, 'watchers', table.concat(watchers, ' '))
end
touch(life)
return {now, $REFUSED, known, open and 0 or ends - now, open and '' or owner}
