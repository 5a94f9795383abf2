-- Executes scripts that have gathered, one after the other.
-- See docs/inside/connections.md#how-calls-leave.
-- KEYS
--   the hashes of the locks, one for each script
-- ARGV
--   for each script its kind ('a' acquire, 'r' release, 'w' withdraw; 'A', 'R', 'W' of a shared lock), the number of
--   its arguments, and its arguments
-- Returns for each script the number of values of its answer and these values; if it failed, 0 and the message

local function acquire(KEYS, ARGV)
--- @script "acquire"
end

local function release(KEYS, ARGV)
--- @script "release"
end

local function withdraw(KEYS, ARGV)
--- @script "withdraw"
end

local function shareAcquire(KEYS, ARGV)
--- @script "shareacquire"
end

local function shareRelease(KEYS, ARGV)
--- @script "sharerelease"
end

local function shareWithdraw(KEYS, ARGV)
--- @script "sharewithdraw"
end

-- Returns the failure and its line, in the form of an error reply.
local function told(failure)
  if type(failure) == 'table' then -- since 7.0
    return failure.err .. ' on @user_script:' .. (failure.line or 0)
  end
  return (string.gsub(failure, '^@user_script: *(%d+): *%-?(.*)$', '%2 on @user_script:%1'))
end

local slots = {left = $PLACES_PER_STEP, grants = $GRANTS_PER_STEP} -- shared by all, see ring and serve
local scripts = {a = acquire, r = release, w = withdraw, A = shareAcquire, R = shareRelease, W = shareWithdraw}
local answers, size, at = {}, 0, 1
for i = 1, #KEYS do
  local count = tonumber(ARGV[at + 1])
  local last = at + 1 + count
  local done, answer = pcall(scripts[ARGV[at]], {KEYS[i], slots = slots}, {unpack(ARGV, at + 2, last)})
  at = last + 1
  if done and answer.err then
    done, answer = false, answer.err
  end
  if done then
    local values = #answer
    answers[size + 1] = values
    for j = 1, values do
      answers[size + 1 + j] = answer[j]
    end
    size = size + 1 + values
  else
    answers[size + 1], answers[size + 2] = 0, told(answer)
    size = size + 2
  end
end
return answers
