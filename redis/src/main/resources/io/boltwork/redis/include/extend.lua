-- The owner has asked or renewed: its lease runs on, never shorter than before, and a claim is confirmed.
-- Needs: lock, save.
local function extend(lease, takeover)
  ends = math.max(ends, now + lease + takeover)
  claim = ''
  save('until', ends, 'claim', claim)
end
