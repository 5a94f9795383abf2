-- Extends leases of shared locks. Each item has its own outcome; a key of another type spoils only its own. A hold of a
-- larger weight than the item's becomes as small, and what is free then is granted to those that wait.
-- See docs/inside/protocol.md#shared-locks.
-- KEYS
--   n  for each item the hash of its lock
-- ARGV
--   1  not-after, ms
--   2  idle life: how long the key of an unused lock lives, ms
--   3  a MessagePack array: for each item the request, the first token, lease, takeover delay, weight, capacity and
--      when it was set
--   4  origin, for messages
-- Returns {server ms}, and for each item with another outcome than OK, or with a claim time, its number, the code and
-- claim ms
--   8   OK         the lease was extended and a claim confirmed
--   6   FORGOTTEN  the server has lost the hold, and no request that conflicts with it has held the lock since
--   9   LOST       the request has no hold with that token
--   4   STALE      not-after has passed and nothing was changed
--   10  BROKEN     the key has another type

--- @include "time"
--- @include "share"
--- @include "serve"
local stale = now - ARGV[1] > 0
local result = {now}
local items = cmsgpack.unpack(ARGV[3])
for i = 1, #KEYS do
  local p = 7 * (i - 1)
  local request, first, lease, takeover, weight, of, when = unpack(items, p + 1, p + 7)
  local code, claim = $BROKEN, 0
  if stale then
    code = $STALE
  elseif pcall(open, KEYS[i], request) then
    local mine = hold(request)
    if mine and mine.token == first then
      code = $OK
      local larger = adopt(of, when)
      extend(mine, lease, takeover)
      leave(request)
      local less = mine.weight - weight
      if less > 0 then
        mine.weight = weight
        used = used - less
        store(mine)
      end
      if less > 0 or larger then
        claim = claimed(serve(''))
      end
      write(ARGV[2])
    elseif forgotten(request, first, weight, of) then
      code = $FORGOTTEN
    else
      code = $LOST
      leave(request)
    end
  end
  if code ~= $OK or claim ~= 0 then
    local n = #result
    result[n + 1], result[n + 2], result[n + 3] = i, code, claim
  end
end
return result
