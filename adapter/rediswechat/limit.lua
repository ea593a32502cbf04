-- Takes turns in all of the windows KEYS, or in none. ARGV[1] has 15 bytes for each key:
--   kind    (1) 0 a sliding window, 1 a sliding window that most likely is empty and of which one turn is asked, 2 a sliding
--               window with cells from its first turn on, 3 a day, 4 a burst; 128 more where another, later claim on the same
--               window takes the turns and this one only looks whether they are to be had
--   n       (4) turns asked for, at most rate
--   rate    (4) most turns in the window, or at once where there is a burst
--   period  (6) microseconds of the window; of a burst: what a turn takes from it
-- Returns the turns left in the tightest window, or
-- {number of the key that has to wait longest, how long in microseconds, turns left}.
--
-- What is stored of a window is one of these:
--   stamps  text: the times of its turns, oldest first. One alone is decimal, as Redis keeps a number in less; more are of seven
--           bytes each. With its 61st turn a window gets cells instead.
--   cells   hash: turns counted by cells of a 126th of the period, which start at multiples of that. A turn counts until the
--           end of its cell has left the window. Field n is a tally of the newest cell and the turns of all; field old has
--           the turns of all cells but the newest (4 bytes), then for each of these its number and its turns (4 and 4).
--   day     text: a tally of the day and its turns
--   burst   text: when the burst is whole again
-- A tally is a number to which Redis can add turns: 2^32 times the cell or day, and the turns. Cells are numbered modulo 2^20
-- from 2^20 on, so that none has the number 0: from that Redis counts where there is no key.
--
-- A turn is taken in one window after the other, where possible by a single command whose answer tells whether there was one.
-- Where a window refuses, what was taken before is given back.
--
-- A run takes microseconds, so small things count. Redis makes all functions of a script anew in each run, at a cost that grows
-- with the names they share with what is around them. So kinds have no names, and what few calls need is made when one does.

local call, pcall, byte = redis.call, redis.pcall, string.byte
local KEYS, claims = KEYS, ARGV[1]

local time = call('TIME')
local micros = time[2]
if #micros < 6 then
  micros = string.rep('0', 6 - #micros) .. micros
end
local stamp = time[1] .. micros
local now = stamp + 0

-- claim is what is asked of the k-th key.
local function claim(k)
  local kind, a, b, c, d, e, f, g, h, i, j, l, m, o, p = byte(claims, k * 15 - 14, k * 15)
  return kind, ((a * 256 + b) * 256 + c) * 256 + d, ((e * 256 + f) * 256 + g) * 256 + h,
    ((((i * 256 + j) * 256 + l) * 256 + m) * 256 + o) * 256 + p
end

-- cell says which cell a time is in, and how wide cells are.
local function cell(at, period)
  local width = (period - period % 126) / 126
  if width == 0 then
    width = 1
  end
  return (at - at % width) / width, width
end

-- closer makes what is needed for windows that take more than one command.
local function closer(now, stamp, claim, cell)
  local call, pcall, byte = redis.call, redis.pcall, string.byte
  local sub, char, ceil, max = string.sub, string.char, math.ceil, math.max
  local back = {} -- what gives turns back, by the number of the key, where the kind alone does not tell

  local function read4(s, i)
    local a, b, c, d = byte(s, i, i + 3)
    return ((a * 256 + b) * 256 + c) * 256 + d
  end

  local function read7(s, i)
    local a, b, c = byte(s, i, i + 2)
    return ((a * 256 + b) * 256 + c) * 2^32 + read4(s, i + 3)
  end

  local function write4(n)
    local d = n % 256
    n = (n - d) / 256
    local c = n % 256
    n = (n - c) / 256
    local b = n % 256
    return char((n - b) / 256, b, c, d)
  end

  local function write7(n)
    local low = n % 2^32
    return sub(write4((n - low) / 2^32), 2) .. write4(low)
  end

  -- cells, sliding and burst take n turns and return what is left and 0, or what there is and for how long to wait.

  -- cells is for a window that has cells, in whose tally the turns are counted already, or that gets cells for a list of stamps.
  local function cells(key, n, rate, period, tally, list)
    local current, width = cell(now, period)
    local newest, total, before, old, first = current, 0, 0, '', 1

    local function unfold(number) -- the cell of that number which is nearest to now
      local ahead = (number - current) % 2^20
      return current + (ahead < 2^19 and ahead or ahead - 2^20)
    end
    local function ends(c)
      return (c + 1) * width + period
    end
    local function begin(c) -- unless a newer one has begun: the clock of another node, before a failover, was ahead
      if c > newest then
        old = old .. write4(newest % 2^20 + 2^20) .. write4(total - before)
        newest, before = c, total
      end
    end

    if list then
      newest = #list > 0 and cell(read7(list, 1), period) or current
      for i = 1, #list, 7 do
        begin(cell(read7(list, i), period))
        total = total + 1
      end
    elseif tally > n then
      total = (tally - n) % 2^32
      newest = unfold((tally - n - total) / 2^32)
      old = call('HGET', key, 'old')
      before, old = read4(old, 1), sub(old, 5)
      while first < #old and ends(unfold(read4(old, first))) <= now do
        local turns = read4(old, first + 4)
        total, before, first = total - turns, before - turns, first + 8
      end
      if ends(newest) <= now then
        newest, total, before, first = current, 0, 0, #old + 1
      end
    end

    local over, wait, i = total + n - rate, 0, first
    while over > 0 do
      local c, turns = newest, over
      if i < #old then
        c, turns = unfold(read4(old, i)), read4(old, i + 4)
      end
      over, wait, i = over - turns, ends(c) - now, i + 8
    end
    if wait > 0 then
      if tally then
        call('HINCRBY', key, 'n', -n)
      end
      return rate - total, wait
    end
    old = sub(old, first)
    begin(current)
    if list then
      call('DEL', key)
    end
    call('HSET', key, 'n', (newest % 2^20 + 2^20) * 2^32 + total + n, 'old', write4(before) .. old)
    call('PEXPIRE', key, ceil((ends(newest) - now) / 1000))
    return rate - total - n, 0
  end

  local function sliding(k, key, kind, n, rate, period)
    local s = pcall('GET', key)
    local hash = type(s) == 'table' -- an error
    local list = ''
    if s and not hash then
      if byte(s) >= 48 then -- a digit; until the year 2398 seven bytes begin with less
        s = write7(s + 0)
      end
      local i = 1
      while i < #s and read7(s, i) + period <= now do
        i = i + 7
      end
      list = sub(s, i)
    end
    local used = #list / 7
    if hash or kind == 2 or used + n > 60 and used + n <= rate then
      back[k] = function()
        call('HINCRBY', key, 'n', -n)
      end
      return cells(key, n, rate, period, hash and call('HINCRBY', key, 'n', n), not hash and list)
    end
    if used + n > rate then
      return rate - used, read7(list, (used + n - rate) * 7 - 6) + period - now
    end
    local at = used > 0 and max(read7(list, #list - 6), now) or now -- the clock of another node may have been ahead
    local life = ceil((at + period - now) / 1000)
    call('SET', key, used + n == 1 and stamp or list .. string.rep(write7(at), n), 'PX', life)
    back[k] = function()
      if used > 0 then
        call('SET', key, list, 'PX', life)
      else
        call('DEL', key)
      end
    end
    return rate - used - n, 0
  end

  local function burst(k, key, n, rate, each)
    local whole = max(call('GET', key) or 0, now)
    local left, wait = rate - ceil((whole - now) / each), whole + (n - rate) * each - now
    if wait > 0 then
      return left, wait
    end
    whole = whole + n * each
    call('SET', key, whole, 'PX', ceil((whole - now) / 1000))
    back[k] = function()
      call('DECRBY', key, n * each)
    end
    return left - n, 0
  end

  local function giveBack(k)
    local kind, n = claim(k)
    kind = kind % 128
    if back[k] then
      back[k]()
    elseif kind == 1 then
      call('DEL', KEYS[k])
    elseif kind == 3 then
      call('DECRBY', KEYS[k], n)
    else
      call('HINCRBY', KEYS[k], 'n', -n)
    end
  end

  return {cells = cells, sliding = sliding, burst = burst, giveBack = giveBack}
end

local close -- what closer has made
local denied, worst, remaining, least = 0, 0, 2^31, 2^31
for k = 1, #KEYS do
  local key, kind, n, rate, period = KEYS[k], claim(k)
  local looks = kind >= 128
  if looks then
    kind = kind - 128
  end
  local text = n == 1 and '1' or n -- to make a text of a number takes long
  local left, wait = nil, 0
  if kind == 1 then
    if call('SET', key, stamp, 'NX', 'PX', (period + 999 - (period + 999) % 1000) / 1000) then
      left = rate - 1
    end
  elseif kind == 2 then
    local tally = pcall('HINCRBY', key, 'n', text)
    if type(tally) == 'number' then -- and no error, as it has stamps
      local none = (cell(now, period) % 2^20 + 2^20) * 2^32
      if tally > none and tally <= none + rate then
        left = none + rate - tally
      else
        close = close or closer(now, stamp, claim, cell)
        left, wait = close.cells(key, n, rate, period, tally)
      end
    end
  elseif kind == 3 then
    local passed = (now + 28800000000) % 86400000000 -- since 00:00 UTC+8
    local none = (now + 28800000000 - passed) / 86400000000 * 2^32
    local tally = call('INCRBY', key, text)
    if tally <= none then -- there was none, or one of another day
      tally = none + n
      call('SET', key, tally, 'PX', math.ceil((86400000000 - passed) / 1000))
    end
    left = rate - tally % 2^32
    if left < 0 then
      call('DECRBY', key, n)
      left, wait = left + n, 86400000000 - passed
    end
  elseif kind == 4 then
    close = close or closer(now, stamp, claim, cell)
    left, wait = close.burst(k, key, n, rate, period)
  end
  if not left then
    close = close or closer(now, stamp, claim, cell)
    left, wait = close.sliding(k, key, kind, n, rate, period)
  end

  if wait == 0 then
    if looks or denied > 0 then
      close = close or closer(now, stamp, claim, cell)
      close.giveBack(k)
    end
    if left < remaining and not looks then
      remaining = left
    end
    left = left + n
  else
    if denied == 0 then
      for i = 1, k - 1 do
        if claim(i) < 128 then
          close = close or closer(now, stamp, claim, cell)
          close.giveBack(i)
        end
      end
    end
    if wait > worst then
      denied, worst = k, wait
    end
  end
  if left < least then
    least = left
  end
end
if denied > 0 then
  return {denied, worst, math.max(least, 0)}
end
return remaining
