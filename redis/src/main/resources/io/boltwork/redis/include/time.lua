-- Names that begin with $ are numbers, which Script.java inserts: the codes of ReplyCode, and constants of the
-- protocol. The clock of the server, read once: us is microseconds since the epoch, now is milliseconds.
local call = redis.call
local time = call('TIME')
local us = time[1] * 1000000 + time[2]
local now = (us - us % 1000) / 1000
