-- Takes a shared lock away from all its holders, or from one, and grants what is free to those that wait. The clients
-- of the holders get messages.
-- See docs/inside/protocol.md#shared-locks.
-- KEYS
--   1  the hash of the lock
-- ARGV
--   1  a token of the hold that must end, 0 for all holds
--   2  idle life: how long the key of an unused lock lives, ms
--   3  origin, for messages
-- Returns {server ms, code, claim ms, fence}; claim ms is -1 if more waiting requests must be examined: nudge. fence:
-- no hold with a larger token was ended, and all others were; 0 if only one was meant
--   13  TAKEN      a part of the lock was taken from its holder, or a kept part was freed
--   14  NOT_TAKEN  there was no such hold

--- @include "time"
--- @include "share"
--- @include "serve"
--- @include "sharewarn"
local expected = tonumber(ARGV[1])
open(KEYS[1], '')
loadAll()
local taken, ended = {}, {}
for i = 1, n do
  local entry = find(ids[i])
  entry.isMarker = string.sub(entry.id, 1, 1) == ':'
  if entry.weight > 0 and (expected <= 0
      or not entry.isMarker and entry.token <= expected and expected <= entry.last) then
    local list = entry.ends > now and taken or ended
    list[#list + 1] = entry
  end
end
for _, entry in ipairs(ended) do -- serve may not reach it, and its holder could still renew it
  finish(entry)
end
for _, entry in ipairs(taken) do
  remove(entry.id)
  if not entry.isMarker then
    -- A failover may have lost a renewal, after which the holder's deadline is later than this end.
    put(entry.id, 0, entry.ends + entry.lease, 0, 0, 0, '-')
  end
end
if #taken > 0 or expected <= 0 then
  fence = math.max(fence + 1, us)
  if expected <= 0 then -- also without a holder: one that this server has forgotten must not restore its hold
    all = fence
  end
end
local allEnded = expected <= 0 and fence or 0 -- before others are served
local more = serve('')
write(ARGV[2], (#taken > 0 or expected <= 0) and $FORCED_MILLIS or 0)
for _, entry in ipairs(taken) do
  if not entry.isMarker then
    warn(entry.id, string.format('%.0f', entry.token))
  end
end
return {now, #taken > 0 and $TAKEN or $NOT_TAKEN, claimed(more), allEnded}
