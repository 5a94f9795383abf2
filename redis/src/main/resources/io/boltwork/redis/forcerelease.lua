-- Takes a lock away from whoever has it, or from one hold only, and grants it to whoever is next. Tells the owner's client.
--
-- KEYS
--   1  the lock's hash
-- ARGV
--   1  a token of the hold to be ended, 0 for any owner
--   2  life of the key when nobody uses the lock, ms
--   3  run of the server, for messages
-- Returns {server ms, code, claim ms, owner, the request that it was taken from, the first token of its hold}; claim ms is
-- -1 if it is not known yet who stands first: nudge
--   13  TAKEN      it was taken from its owner, or a kept one was opened
--   14  NOT_TAKEN  nobody had it, or another than the hold to be ended; then nothing was taken

local key = KEYS[1]
local expected = tonumber(ARGV[1])
--- @include "time"
--- @include "lock"
--- @include "save"
--- @include "own"
--- @include "client"
--- @include "ring"
--- @include "tell"
--- @include "lapse"
--- @include "next"
--- @include "grant"
--- @include "touch"
--- @include "warn"

local held = owner ~= '' and now < ends
local code = 14
local life, closed = ARGV[2], 0
local taken, takenToken = '', 0
if expected <= 0 or (held and owner ~= '-' and expected >= token and expected <= token + 999) then
  if held then
    code = 13
    closed = ends - now
    if owner ~= '-' then
      taken, takenToken = owner, token
    end
  end
  -- Whoever held it, or holds it unknown to this server, must still find the fence when its lease ends.
  life = math.max(life, closed + 86400000)
  lapse()
  owner, ends, claim = '', 0, ''
  -- Also without an owner: nobody whom this server forgot may restore its hold.
  fence = math.max(fence + 1, us)
  save('owner', owner, 'fence', fence)
end
grant()
if fence > 0 or head then -- else there is no key
  touch(life, closed)
end
if taken ~= '' then
  warn(taken, takenToken)
end
return {now, code, claimed(), owner, taken, takenToken}
