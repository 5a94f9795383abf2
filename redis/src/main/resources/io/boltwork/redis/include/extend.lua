-- Confirms the owner, which has asked again or renewed, and extends its lease. The lease never becomes shorter.
-- Needs: lock, save.
local function extend(lease, takeover)
  ends = math.max(ends, now + lease + takeover)
  claim = ''
  save('until', ends, 'claim', claim)
end
