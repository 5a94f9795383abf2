-- Sets the expiry of the key: the idle life after its last use, or after the end of the owner's lease or of a closed
-- lock. x is the time at which the key expires. It is set again when less than 7/8 of the life is left, and never to an
-- earlier time, because clients may have different idle lives.
-- Needs: time, lock, save.
local function touch(life, closed)
  local left = math.max(closed or 0, owner == '' and 0 or ends - now)
  if not expires or expires - now - left < life * 7 / 8 then
    save('x', now + left + life)
    call('PEXPIRE', key, left + life)
  end
end
