-- Makes a request the owner again, with its old token, if the server has lost the hold and no request has held the lock
-- since.
-- See docs/inside/protocol.md#restore.
-- A lock that is shared with Redisson has more keys, see include/bridge.lua, and is never restored.
-- KEYS
--   1  the hash of the lock
-- ARGV
--   1  request
--   2  first token
--   3  lease, ms
--   4  takeover delay, ms
--   5  not-after, ms
--   6  idle life: how long the key of an unused lock lives, ms
-- Returns {server ms, code, owner}
--   8  OK     the request owns the lock
--   21 WANTED the same, and others wait for the lock, which its client may retain
--   9  LOST   the lock has an owner, or a token of the hold or above was issued
--   4  STALE  not-after has passed and nothing was changed

local key = KEYS[1]
local request, first = ARGV[1], tonumber(ARGV[2])
--- @include "time"
--- @include "lock"

if now - ARGV[5] > 0 then
  return {now, $STALE, owner}
end

--- @include "save"
--- @include "client"
--- @include "retained"
--- @include "ring"
--- @include "lapse"
local hasConditions = signals
--- @include "condition"
--- @include "touch"

local code = $LOST
if (owner == '' or now >= ends) and fence < first and not KEYS[2] then
  code = $OK
  lapse()
  if signals then
    move()
  end
  leave(request) -- after lapse(), which may have queued the request again
  owner, token, fence, claim = request, first, first + $BLOCK_END, ''
  ends = now + ARGV[3] + ARGV[4]
  save('owner', owner, 'token', token, 'until', ends, 'claim', claim, 'fence', fence)
  if head and isRetained(owner) then
    code = $WANTED
  end
else
  leave(request)
end
if fence > 0 then -- otherwise there is no key
  touch(ARGV[6])
end
return {now, code, owner}
