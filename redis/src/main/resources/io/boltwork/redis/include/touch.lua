-- The key lives for that long after its last use, which is that of its owner while there is one, or of what is kept closed.
-- x is when it expires. An eighth of the life later it is set anew, and never to an earlier time: clients may have
-- different ideas of how long that life is.
-- Needs: time, lock, save.
local function touch(life, closed)
  local left = math.max(closed or 0, owner == '' and 0 or ends - now)
  if not expires or expires - now - left < life * 7 / 8 then
    save('x', now + left + life)
    call('PEXPIRE', key, left + life)
  end
end
