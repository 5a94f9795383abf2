-- Confirms the owner and extends its lease, which never becomes shorter, after the owner has asked or renewed.
-- Needs: lock, save.
local function extend(lease, takeover)
  ends = math.max(ends, now + lease + takeover)
  claim = ''
  save('until', ends, 'claim', claim)
end
