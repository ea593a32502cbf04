-- The fields of the app KEYS[1] that are closed, and those that say of which a pace is kept ("pace of ..."), each with the
-- microseconds until that ends.
local all = redis.call('HGETALL', KEYS[1])
if #all == 0 then
  return all
end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local closed = {}
for i = 1, #all, 2 do
  local left = all[i + 1] - now
  if left > 0 then
    closed[#closed + 1] = all[i]
    closed[#closed + 1] = left
  end
end
return closed
