-- Whose a request is.
local function clientOf(request)
  return string.match(request, '^(.*):') or request
end
