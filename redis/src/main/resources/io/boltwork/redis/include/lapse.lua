-- Removes an owner whose lease has run out. A claim that lapses removes all requests of its client from the queue: the
-- client is dead, or it asks again. The first short claim of a client removes nothing: its request enters the queue
-- once more, at the tail. Claims are short for 30 s after a claim of full length has lapsed, and for 30 s after a short
-- one of a request that was already waiting then. See docs/inside/protocol.md#grant-and-claim.
-- Needs: time, lock, ring, client, save.
local function lapse()
  if owner ~= '' and now >= ends then
    if claim ~= '' then
      local short, since, below = lapses()
      local client = clientOf(owner)
      local kind, signalled = string.match(claim, '^([%d ]*)(.*)$')
      local lease, takeover, entered = string.match(kind, '^(%d+) (%d+) (%d+)$')
      if kind == '1' then
        since = now
      end
      if kind == '1' or lease and tonumber(entered) <= since then
        short = now + $SHORT_CLAIMS_LAST_MILLIS
      end
      local names = {}
      if lease and not call('HGET', key, 'late:' .. client) then
        if not head then
          head, tail = 1, 1
        end
        found[tail] = lease .. '* ' .. takeover .. ' ' .. entered .. ' ' .. owner .. (signalled == '' and '' or ' ')
          .. signalled
        signalled = ''
        names = {'late:' .. client, '1', 'r' .. owner, tail}
      else
        silent[client] = true
      end
      if silent[client] and head then
        -- The client has no earlier mark: the head passed it before the client got the claim that lapses now.
        found[tail] = string.format('- 0 %.0f ', now) .. client
        names = {'gone:' .. client, tail}
        gone[client], below = tail, tail
      end
      if head then
        tail = tail + 1
        stored = head
        for _, text in ipairs({'q' .. tail - 1, found[tail - 1], 'head', head, 'tail', tail}) do
          names[#names + 1] = text
        end
      end
      leaveUnused(signalled)
      lapsed = string.format('%.0f %.0f %.0f', short, since, below)
      save('lapsed', lapsed, unpack(names))
    end
    owner, claim, ends = '', '', 0
  end
end
