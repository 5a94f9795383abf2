-- The client of a request.
local function clientOf(request)
  return string.match(request, '^(.*):') or request
end
