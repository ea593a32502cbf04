-- Takes a repeat from the budget of the app KEYS[1], unless it is used up: the repeats of the window under way and the one
-- before must not exceed the share ARGV[1] of the calls, or ten. ARGV[2] calls are new. Returns whether it was taken.
local WINDOW, FLOOR = 10000, 10 -- milliseconds; as in package wechat

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local b = redis.call('HMGET', KEYS[1], 'began', 'calls', 'repeats', 'last_calls', 'last_repeats')
local began, calls, repeats, last_calls, last_repeats = tonumber(b[1]) or now, tonumber(b[2]) or 0, tonumber(b[3]) or 0,
  tonumber(b[4]) or 0, tonumber(b[5]) or 0
if now < began or now >= began + 2 * WINDOW then -- now is earlier by the clock of another node, after a failover
  began, calls, repeats, last_calls, last_repeats = now, 0, 0, 0, 0
elseif now >= began + WINDOW then
  last_calls, last_repeats = calls, repeats
  began, calls, repeats = began + WINDOW, 0, 0
end
calls = calls + ARGV[2]
local taken = 0
if repeats + last_repeats < math.max(FLOOR, ARGV[1] * (calls + last_calls)) then
  taken, repeats = 1, repeats + 1
end
redis.call('HSET', KEYS[1], 'began', string.format('%.0f', began), 'calls', calls, 'repeats', repeats, 'last_calls', last_calls,
  'last_repeats', last_repeats)
redis.call('PEXPIRE', KEYS[1], 2 * WINDOW)
return taken
