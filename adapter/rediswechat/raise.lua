-- Closes field ARGV[1] of the app KEYS[1] for at least ARGV[2] microseconds, and forgets what is open.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local until_, last = now + ARGV[2], 0
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local opens = tonumber(all[i + 1])
  if all[i] == ARGV[1] then
    until_ = math.max(until_, opens)
  elseif opens <= now then
    redis.call('HDEL', KEYS[1], all[i])
  end
  last = math.max(last, opens)
end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', until_))
redis.call('PEXPIRE', KEYS[1], math.ceil((math.max(last, until_) - now) / 1000))
return 1
