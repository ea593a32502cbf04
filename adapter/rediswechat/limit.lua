-- Takes a turn in each of the windows KEYS, or none. For each key there are three arguments:
--   rate    most events in the window, or at once where there is a burst
--   period  microseconds of the window; 0: a day that starts at 00:00 UTC+8; less: what an event takes from a burst
--   n       events asked for, at most rate; less than 0: as many, which another claim on the same window notes
-- Returns {0, 0, events left in the tightest window}, or
-- {number of the key that has to wait longest, how long in microseconds, events left}.
--
-- A sliding window is a text of time stamps of seven bytes, oldest first, up to 60 of them. One with more events has
-- buckets: byte 255, the number of all events (4 bytes), when the newest bucket began (7), and for each bucket its last
-- event (7) and their number (4). A bucket takes the events of a 126th of the period, and all of them count until the
-- last one has left the window.

local byte, sub, floor = string.byte, string.sub, math.floor
local EXACT, BUCKETS = 60, 128
local FIRST, BUCKET = 13, 11 -- where the first bucket is, and the size of one

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function stamp(s, i)
  local a, b, c, d, e, f, g = byte(s, i, i + 6)
  return (((((a * 256 + b) * 256 + c) * 256 + d) * 256 + e) * 256 + f) * 256 + g
end

local function count(s, i)
  local a, b, c, d = byte(s, i, i + 3)
  return ((a * 256 + b) * 256 + c) * 256 + d
end

local function pack4(n)
  return string.char(floor(n / 16777216), floor(n / 65536) % 256, floor(n / 256) % 256, n % 256)
end

local function pack(n)
  local low = n % 16777216
  return pack4((n - low) / 16777216) .. sub(pack4(low), 2)
end

-- add notes n events at a time, given as a number and packed, in the buckets of s, which have total events then.
local function add(s, total, at, packed, n, period)
  local size = (#s - FIRST + 1) / BUCKET
  if size == 0 or size < BUCKETS and at - stamp(s, 6) >= period / (BUCKETS - 2) then
    return '\255' .. pack4(total) .. packed .. sub(s, FIRST) .. packed .. pack4(n)
  end
  return '\255' .. pack4(total) .. sub(s, 6, -BUCKET - 1) .. packed .. pack4(count(s, -4) + n)
end

-- widen turns stamps into buckets.
local function widen(stamps, period)
  local s = '\255' .. string.rep('\0', FIRST - 2)
  for i = 1, #stamps, 7 do
    s = add(s, 0, stamp(stamps, i), sub(stamps, i, i + 6), 1, period)
  end
  return s
end

local values
if #KEYS <= 1000 then
  values = redis.call('MGET', unpack(KEYS))
else -- more than the stack of a call may hold
  values = {}
  for i = 1, #KEYS do
    values[i] = redis.call('GET', KEYS[i])
  end
end

local packed -- now
local lives = {} -- of the values that are to be written
local denied, worst, remaining = 0, 0, 2147483647
local left = 2147483647 -- the same where nothing is taken

for i = 1, #KEYS do
  local s, rate, period, n = values[i], ARGV[i * 3 - 2] + 0, ARGV[i * 3 - 1] + 0, ARGV[i * 3] + 0
  local record = n > 0
  if not record then
    n = -n
  end
  local used, wait, life = 0, 0, 0
  if period > 0 then
    local gone = now - period
    if not s then
      s = ''
    elseif byte(s) ~= 255 then
      local first = 1
      while first < #s and stamp(s, first) <= gone do
        first = first + 7
      end
      if first > 1 then
        s = sub(s, first)
      end
      used = #s / 7
      if used + n > rate then
        wait = stamp(s, (used + n - rate) * 7 - 6) + period - now
      end
    else
      local first = FIRST
      used = count(s, 2)
      while first < #s and stamp(s, first) <= gone do
        used = used - count(s, first + 7)
        first = first + BUCKET
      end
      if first > FIRST then
        s = sub(s, 1, FIRST - 1) .. sub(s, first)
      end
      local over = used + n - rate
      first = FIRST
      while over > 0 do
        wait = stamp(s, first) + period - now
        over = over - count(s, first + 7)
        first = first + BUCKET
      end
    end
    if record and denied == 0 and wait <= 0 then
      local at = now
      packed = packed or pack(now)
      local stamped = packed
      if used > 0 then
        at = stamp(s, byte(s) == 255 and -BUCKET or -7)
        if at <= now then
          at = now
        else -- the clock of another node, before a failover, was ahead
          stamped = pack(at)
        end
      end
      if used + n <= EXACT and byte(s) ~= 255 then
        s = n == 1 and s .. stamped or s .. string.rep(stamped, n)
      else
        if byte(s) ~= 255 then
          s = widen(s, period)
        end
        s = add(s, used + n, at, stamped, n, period)
      end
      life = at - gone
    end
  elseif period == 0 then
    local today = now + 28800000000 -- UTC+8
    local rest = 86400000000 - today % 86400000000
    today = floor(today / 86400000000)
    if s then
      local date, sum = string.match(s, '^(%d+) (%d+)$')
      if date + 0 >= today then
        used = sum + 0
      end
    end
    if used + n > rate then
      wait = rest
    end
    s, life = string.format('%d %d', today, used + n), rest
  else
    local every, rested = -period, now
    if s then
      rested = math.max(stamp(s, 1), now)
      used = math.ceil((rested - now) / every)
      wait = rested + (n - rate) * every - now
    end
    rested = rested + n * every
    s, life = pack(rested), rested - now
  end
  if wait > worst then
    denied, worst = i, wait
  end
  left = math.min(left, rate - used)
  if record then
    values[i], lives[i] = s, life
    remaining = math.min(remaining, rate - used - n)
  end
end

if denied > 0 then
  return {denied, worst, math.max(left, 0)}
end
for i, life in pairs(lives) do
  redis.call('SET', KEYS[i], values[i], 'PX', math.ceil(life / 1000))
end
return {0, 0, math.max(remaining, 0)}
