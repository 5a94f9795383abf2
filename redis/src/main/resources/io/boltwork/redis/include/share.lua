-- Reads and writes the hash of a shared lock. Its fields are variables here, and write stores those that have changed.
--   capacity, set   the permits, and when they were set, us; 0 if a client was configured with them
--   used            the sum of the weights of all entries
--   soon            no hold or marker ends before it, ms; empty if there is none
--   claims          no claim or marker ends after it, ms
--   fence, all      no larger token was issued: at all, and to a request that took the whole capacity
--   n               the number of entries; e1 to en are their ids, in no particular order
--   at, least       the search for entries that have ended: how many it has passed, and the least end among those, ms
--   blocker         '<ms> <client>': the client whose request is at the head and does not fit, and when that was first
--                   seen, or when the client has asked since; empty if no request waits
--   x, lapsed, head, tail, q<i>, r<request>, gone:<client>, late:<client>: as in a plain lock
-- An entry is h<id> = '<its index> <weight> <first token> <last token of the block> <end, ms> <lease, ms> <claim>'. The
-- id of a hold or of a tombstone is its request, and that of a marker is ':<request>'. A tombstone has the weight 0.
-- claim: '-' none; '1' a claim; '2' a short one of a request that is in the queue for the second time;
-- '<takeover>/<entered, ms>' another short one.
-- See docs/inside/protocol.md#shared-locks.
-- Needs: time.
local key, before, ids, entries
local capacity, set, used, soon, claims, fence, all, n, at, least, blocker, head, tail, expires, lapsed, latest
local never = math.huge
--- @include "save"
--- @include "client"
--- @include "ring"
--- @include "enter"
--- @include "torn"

local function number(value)
  return tonumber(value) or 0
end

-- Keeps an entry that was read.
local function note(id, text)
  local index, weight, token, last, ends, lease, claim = string.match(text or '',
    '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (.+)$')
  entries[id] = index and {
    id = id,
    index = tonumber(index),
    weight = tonumber(weight),
    token = tonumber(token),
    last = tonumber(last),
    ends = tonumber(ends),
    lease = tonumber(lease),
    claim = claim
  } or false
end

local mend

-- Reads the hash of a lock, with the entry of a request.
local function open(name, request)
  key = name
  before = call('HMGET', key, 'capacity', 'set', 'used', 'soon', 'claims', 'fence', 'all', 'n', 'at', 'least',
    'blocker', 'x', 'lapsed', 'head', 'tail', 'h' .. request, 'r' .. request)
  capacity, set, used = number(before[1]), number(before[2]), number(before[3])
  soon, claims, fence, all = tonumber(before[4]) or never, number(before[5]), number(before[6]), number(before[7])
  n, at, least, blocker = number(before[8]), number(before[9]), tonumber(before[10]) or never, before[11] or ''
  expires, lapsed, head, tail = tonumber(before[12]), before[13], tonumber(before[14]), tonumber(before[15])
  if not (head and tail) and (before[14] or before[15] or before[17]) then
    head, tail = foundQueue(request)
  end
  latest, ids, entries = now, {}, {}
  found, gone, deaf, stored, reach = {}, {}, {}, nil, 1
  if (before[8] or before[3]) and not (before[8] and before[3] and before[4]) then
    mend()
  else
    note(request, before[16])
  end
end

-- Returns the entry with that id, or false.
local function find(id)
  if entries[id] == nil then
    note(id, call('HGET', key, 'h' .. id))
  end
  return entries[id]
end

-- Returns the hold of a request, which may have ended, or false.
local function hold(request)
  local entry = find(request)
  return entry and entry.weight > 0 and entry
end

-- Reads up to a hundred entries from an index on.
local function load(from)
  local names = {}
  for i = from, math.min(from + 99, n) do
    if not ids[i] then
      names[#names + 1] = 'e' .. i
    end
  end
  local texts = {}
  for i, id in ipairs(#names > 0 and call('HMGET', key, unpack(names)) or {}) do
    ids[tonumber(string.sub(names[i], 2))] = id
    if id and entries[id] == nil then
      texts[#texts + 1] = id
    end
  end
  names = {}
  for i, id in ipairs(texts) do
    names[i] = 'h' .. id
  end
  if #names > 0 then
    for i, text in ipairs(call('HMGET', key, unpack(names))) do
      note(texts[i], text)
    end
  end
end

-- An HSET that the server refuses if its memory is full and the script has written nothing yet.
local function add(...)
  call('HSET', key, ...)
end

-- Stores an entry; isNew: only if there is memory left.
local function store(entry, isNew)
  entries[entry.id] = entry
  ids[entry.index] = entry.id
  local change = isNew and add or save
  change('e' .. entry.index, entry.id, 'h' .. entry.id, string.format('%.0f %.0f %.0f %.0f %.0f %.0f ', entry.index,
    entry.weight, entry.token, entry.last, entry.ends, entry.lease) .. entry.claim)
end

-- Numbers the entries anew, because a foreign hand has deleted some of the fields that belong together.
mend = function()
  ids, entries, n, used, soon, at, least = {}, {}, 0, 0, never, 0, never
  local all, kept = call('HGETALL', key), {}
  for i = 1, #all, 2 do
    if string.match(all[i], '^e%d+$') then
      call('HDEL', key, all[i])
    elseif string.match(all[i], '^h.*:') then
      local id = string.sub(all[i], 2)
      note(id, all[i + 1])
      kept[#kept + 1] = entries[id] or nil
    end
  end
  table.sort(kept, function(one, other)
    return one.index < other.index
  end)
  for i, entry in ipairs(kept) do
    n, entry.index, used = i, i, used + entry.weight
    if entry.weight > 0 then
      soon = math.min(soon, entry.ends)
    end
    store(entry)
  end
end

-- Reads all entries.
local function loadAll()
  for i = 1, n, 100 do
    load(i)
  end
  for i = 1, n do
    if not (ids[i] and find(ids[i])) then
      return mend()
    end
  end
end

-- Removes the entry with that id, if there is one. The last entry takes its place.
local function remove(id)
  local entry = find(id)
  if not entry then
    return
  end
  used = used - entry.weight
  local place = entry.index
  if place < n then
    if not ids[n] then
      ids[n] = call('HGET', key, 'e' .. n)
    end
    local other = ids[n] and find(ids[n])
    if not other then
      mend()
      return remove(id)
    end
    other.index = place
    if place <= at and n > at and other.weight > 0 then -- the search would not come by
      least = math.min(least, other.ends)
    end
    store(other)
  end
  call('HDEL', key, 'h' .. id, 'e' .. n)
  entries[id], ids[n] = false, nil
  n = n - 1
  at = math.min(at, n)
  if n == 0 then
    soon, least = never, never
  end
end

-- Adds an entry in place of the one with the same id. Its end counts as a use of the lock.
local function put(id, weight, ends, token, last, lease, claim, isNew)
  remove(id)
  n = n + 1
  used = used + weight
  if weight > 0 then
    soon = math.min(soon, ends)
  end
  latest = math.max(latest, ends)
  local entry = {id = id, index = n, weight = weight, token = token, last = last, ends = ends, lease = lease,
    claim = claim}
  store(entry, isNew)
  return entry
end

-- Takes over the capacity that a client knows, if it is newer. Returns whether the capacity has grown.
local function adopt(of, when)
  of, when = tonumber(of), tonumber(when)
  if capacity > 0 and when <= set then
    return false
  end
  local larger = capacity > 0 and of > capacity
  capacity, set = of, when
  return larger
end

-- Raises the fences to the end of a hold's block.
local function raise(entry)
  fence = math.max(fence, entry.last)
  if entry.weight >= capacity then
    all = math.max(all, entry.last)
  end
end

-- Confirms a hold and extends its lease, which never becomes shorter.
local function extend(entry, lease, takeover)
  entry.ends = math.max(entry.ends, now + lease + takeover)
  entry.lease = math.max(entry.lease, tonumber(lease))
  entry.claim = '-'
  latest = math.max(latest, entry.ends)
  store(entry)
end

-- Leaves a tombstone, if a restore was sent that may still be executed.
local function bury(request, restored)
  if restored >= now and not find(request) then
    put(request, 0, restored + 1, 0, 0, 0, '-')
  end
end

-- Returns whether this server has lost a hold and no request that conflicts with it has held the lock since.
local function forgotten(request, first, weight, of)
  if find(request) then
    return false
  end
  local takesAll = tonumber(weight) >= (capacity > 0 and capacity or tonumber(of))
  return (takesAll and fence or all) < tonumber(first)
end

-- Stores the fields that have changed. life: how long the key lives after its last use; atLeast: at least so long.
local function write(life, atLeast)
  if not head then
    blocker = ''
  end
  if n == 0 and fence == 0 and not head and set == 0 then
    if before[8] or before[12] then
      call('DEL', key)
    end
    return
  end
  local after = {capacity, set, used, soon == never and '' or soon, claims, fence, all, n, at,
    least == never and '' or least, blocker}
  local names, fields = {'capacity', 'set', 'used', 'soon', 'claims', 'fence', 'all', 'n', 'at', 'least', 'blocker'}, {}
  for i, value in ipairs(after) do
    local text = type(value) == 'number' and string.format('%.0f', value) or value
    if text ~= (before[i] or (type(value) == 'number' and '0' or '')) then
      fields[#fields + 1], fields[#fields + 2] = names[i], text
    end
  end
  life = math.max(life, set > 0 and $SET_MILLIS or 0, atLeast or 0)
  if not expires or expires - latest < life * 7 / 8 then
    fields[#fields + 1], fields[#fields + 2] = 'x', string.format('%.0f', latest + life)
    save(unpack(fields))
    call('PEXPIRE', key, latest - now + life)
  elseif #fields > 0 then
    save(unpack(fields))
  end
end
