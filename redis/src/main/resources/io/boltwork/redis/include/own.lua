-- Makes a request the owner, with the first token of a new block.
-- Needs: time, lock.
local function own(request, lease, takeover, isClaim)
  token = math.max(fence + 1, us)
  fence = token + $BLOCK_END
  ends = now + lease + takeover
  owner, claim = request, isClaim
  call('HSET', key, 'owner', owner, 'token', token, 'until', ends, 'claim', claim, 'fence', fence)
end
