-- The key lives at least 24 h after its last change and never less than its lease. Its expiry is set once an hour.
-- Needs: time, lock, save.
local function touch()
  local left = owner == '' and 0 or math.max(0, ends - now)
  if not touched or now - touched >= 3600000 or now < touched or left > 86400000 then
    save('x', now)
    call('PEXPIRE', key, left + 90000000)
  end
end
