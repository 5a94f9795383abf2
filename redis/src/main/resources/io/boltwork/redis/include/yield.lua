-- Leaves a lock that was just released to Redisson for a moment, if Redisson has had no chance for a while and may
-- wait.
-- Needs: bridge.
if owner == '' and (turns >= $BRIDGE_TURNS or now - since >= $BRIDGE_TURNS_MILLIS) then
  turns, since = 0, now
  if isAwaited() then
    wake()
    left = now + $BRIDGE_LEFT_MILLIS
    owner, ends, claim, shut = '-', left, '', left
  end
end
