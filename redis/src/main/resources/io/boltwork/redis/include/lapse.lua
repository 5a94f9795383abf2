-- A lease that ran out is no lease. A claim that ran out takes all requests of its client out of the queue: nobody is
-- there, or it asks again.
-- Needs: lock, ring, client.
local function lapse()
  if owner ~= '' and now >= ends then
    if claim ~= '' and head then
      local client = clientOf(owner)
      local i, left = head, false
      while i < tail do
        local found = entries(i, 1000)
        for j = 1, #found do
          local request = found[j] and string.match(found[j], '^%d+ %d+ %d+ (.*)$')
          if request and clientOf(request) == client then
            call('HDEL', key, 'q' .. (i + j - 1), 'r' .. request)
            left = true
          end
        end
        i = i + #found
      end
      if left then -- else it would begin the script's writes with an HSET, which a full memory refuses
        skipHoles()
      end
    end
    owner, claim, ends = '', '', 0
  end
end
