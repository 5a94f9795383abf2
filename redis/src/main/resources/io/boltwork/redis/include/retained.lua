-- Returns whether the client of a request may retain its lease: then its number is negative.
local function isRetained(request)
  return string.find(request, ':%-%d+$') ~= nil
end
