-- The server's clock, read once: us, microseconds since the epoch, and now, milliseconds.
local call = redis.call
local time = call('TIME')
local us = time[1] * 1000000 + time[2]
local now = (us - us % 1000) / 1000
