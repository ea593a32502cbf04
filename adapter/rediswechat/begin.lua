-- Claims KEYS[1] for the owner ARGV[1] unless it stands. A value is a state, when it was set in milliseconds, the owner, and
-- the result. What is pending for longer than ARGV[2] milliseconds becomes unknown. Values are kept for ARGV[3] milliseconds.
-- Returns {'', '', 0} where the key is the owner's now, else {state, result, age}.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local value = redis.call('GET', KEYS[1])
if value then
  local state, at, owner, result = string.match(value, '^(%a+) (%d+) (%S+) ?(.*)$')
  if state == 'pending' and owner == ARGV[1] then
    return {'', '', 0} -- asked once more, as the answer was missed
  elseif state == 'pending' and now - at > tonumber(ARGV[2]) then
    redis.call('SET', KEYS[1], string.format('unknown %.0f -', now), 'PX', ARGV[3])
    return {'unknown', '', 0}
  elseif state ~= 'failed' then
    return {state, result, now - at}
  end
end
redis.call('SET', KEYS[1], string.format('pending %.0f %s', now, ARGV[1]), 'PX', ARGV[3])
return {'', '', 0}
