-- What is known of the pace that a server sustains for one key, for all processes together. The logic, and its reasons, are
-- those of ratelimit.Local's pacer; here are the differences. State lives in Redis. A call whose turn is at most AHEAD away
-- gets it at once, with the time to wait, so that a turn costs one question, and with it as many as are due within POLL. Calls
-- in flight have a lease, as a process that is killed reports nothing. Whatever is asked twice, because a reply got lost, is
-- done once.
--
-- KEYS: the state, as JSON; the calls in flight, by when they got their turns; the barriers of the app
-- ARGV: the key's field in the barriers, and
--   'admit', how many turns, an id: returns {1, microseconds to wait for each turn ...}, where the n-th turn has the id with
--     ':n' behind it, or {0, microseconds until it makes sense to ask again, the wait that is certain}
--   'done', id of the turn, outcome, Retry-After, window: returns {microseconds that the key is closed, that its pace is kept}.
--     A call that was made while nothing was known has the id ''. The outcome is 'fine', 'refused', 'crowded' (too many in
--     flight) or 'unused'; Retry-After and window are microseconds, 0 where nobody told.
-- Both may be followed by a process and what it has counted while nothing was known: for each mark of a cycle the number of
-- calls that succeeded since, and the microseconds that has been.
-- All answers begin with the microseconds between two turns, 0 if no pace is known, and those of the server's window.

-- What these are for is said in ratelimit/pacer.go.
local SECOND = 1000000
local FIRST_FLIGHT, BREATH, PATIENCE, FULL_FLIGHTS = 2, 0.025 * SECOND, 0.25 * SECOND, 32
local SHORTEST, LONGEST = SECOND, 3600 * SECOND
local MARGIN, PLATEAU, CURIOSITY, DOUBLINGS, RETREAT, FEW = 0.96, 20, 0.02, 40, 0.1, 8
local SLACK, FORGET_AFTER = 0.01 * SECOND, 600 * SECOND
local SPANS = {SECOND, 60 * SECOND, 3600 * SECOND}

local AHEAD = SECOND
local LEASE = 120 * SECOND -- longer than any attempt lasts
local POLL = 0.02 * SECOND -- a call of another process that comes back wakes nobody here

local min, max, floor, ceil = math.min, math.max, math.floor, math.ceil
local field, op = ARGV[1], ARGV[2]

local time = redis.call('TIME')
local wall = time[1] * SECOND + time[2]
local k = redis.call('GET', KEYS[1])
local new = not k
local now -- since the state was born: small enough to be exact in JSON

-- A cycle counts the calls between two barriers. It has two marks for each span: {time, successes until then}.
local function cycle(limit)
  return {limit = limit, settling = 0, wins = 0, grew = 0, since = 0, blocked = false, tried = false, start = 0, n = 0,
    roll = 0, marks = {{{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}}}
end

-- begin starts a cycle with a trial.
local function begin(c)
  c.tried, c.start = true, now
  for i = 1, #SPANS do
    c.marks[i] = {{now, 0}, {now, 0}}
  end
end

if new then
  k = {born = string.format('%.0f', wall), at = 0, trials = 0, narrow = false, rate = 0, window = 0, progress = 0, next = 0}
  k.cycle = cycle(FIRST_FLIGHT)
  redis.call('DEL', KEYS[2])
else
  k = cjson.decode(k)
end
now = wall - k.born
if now < k.at then -- the clock of another node, before a failover, was ahead
  k.born, now = string.format('%.0f', wall - k.at), k.at
end
k.at = now

-- flying counts the calls in flight of a cycle: those that got their turns since it began.
local function flying(c)
  if c == k.trial and not c.tried then
    return 0
  end
  return redis.call('ZCOUNT', KEYS[2], c.start, '+inf')
end

local function current() return k.trial or k.cycle end
local function paced() return k.rate > 0 and not k.trial end
local function speed() return k.rate * (MARGIN + CURIOSITY * 2 ^ min(k.progress - PLATEAU, DOUBLINGS)) end
local function interval() return SECOND / speed() end
local function life() return max(FORGET_AFTER, 10 * k.window) end

-- hold keeps a field of the barriers for a while, unless it stands for at least enough.
local function hold(name, wait, enough)
  local stands = redis.call('HGET', KEYS[3], name)
  if not stands or stands + 0 < wall + enough then
    local all = redis.call('HGETALL', KEYS[3])
    for i = 1, #all, 2 do -- what is over is not to pile up
      if all[i + 1] + 0 < wall then
        redis.call('HDEL', KEYS[3], all[i])
      end
    end
    redis.call('HSET', KEYS[3], name, string.format('%.0f', wall + wait))
    if redis.call('PTTL', KEYS[3]) < wait / 1000 then
      redis.call('PEXPIRE', KEYS[3], ceil(wait / 1000))
    end
  end
end

local function raise(wait)
  if wait > 0 then
    hold(field, wait, wait)
  end
end

local function closed()
  local opens = redis.call('HGET', KEYS[3], field)
  return opens and max(opens - wall, 0) or 0
end

-- add counts, once, what a process has seen before the first refusal: from there is its name.
local function add(from)
  local c, process, most = k.cycle, ARGV[from], 0
  if not process or c.tried or not (new or k.refusal) then
    return
  end
  c.from = c.from or {}
  if c.from[process] then
    return
  end
  c.from[process] = true
  for i = from + 1, #ARGV, 2 do
    most = max(most, ARGV[i] + 0)
  end
  for i, marks in ipairs(c.marks) do
    for j, m in ipairs(marks) do
      local at = from + 4 * i + 2 * j - 5
      marks[j] = {min(m[1], now - ARGV[at + 1]), m[2] + most - ARGV[at]}
    end
  end
  c.n = c.n + most
end

local function full()
  local c = current()
  local was = c.blocked
  c.blocked = flying(c) >= c.limit
  if not c.blocked then
    return 0
  elseif k.narrow and c ~= k.trial then
    return LONGEST
  elseif not was then
    c.since = now
  end
  if c.since + PATIENCE > now then
    return c.since + PATIENCE - now
  end
  if c ~= k.trial then
    c.limit = c.limit * 2
  end
  c.blocked = false
  return 0
end

-- gate returns after how long to ask again, or 0 if a call may go; and the wait for its turn, and the one that is certain.
local function gate()
  local shut = closed()
  if shut > 0 then
    k.trial = k.trial or cycle(1)
    return shut, 0, shut
  end
  local again = min(full(), POLL)
  local wait = paced() and max(k.next - now, 0) or 0
  if again == 0 and wait > AHEAD then
    again = wait - AHEAD / 2
  end
  return again, wait, wait
end

local function grant(id, wait)
  local c = current()
  if c == k.trial and flying(c) == 0 then
    begin(c)
  end
  redis.call('ZADD', KEYS[2], now, id)
  if paced() then
    k.next = max(k.next, now - max(SLACK, interval() / 2)) + interval()
    if wait > 0 then
      k.progress = k.progress + min(1, SECOND / (k.rate * k.window))
    end
  end
end

local function admit(n, id)
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - LEASE) -- of calls that nobody has reported
  local turns = {1}
  while redis.call('ZSCORE', KEYS[2], id .. ':' .. #turns) do -- the reply got lost
    turns[#turns + 1] = paced() and ceil(max(k.next - now - interval(), 0)) or 0
  end
  if #turns > 1 then
    return turns
  end
  while #turns <= n do
    local again, wait, known = gate()
    if #turns > 1 and (again > 0 or wait > POLL) then
      break
    elseif again > 0 then
      return {0, ceil(again), ceil(known)}
    end
    grant(id .. ':' .. #turns, wait)
    turns[#turns + 1] = ceil(wait)
  end
  redis.call('PEXPIRE', KEYS[2], ceil(life() / 1000))
  return turns
end

local function succeeded(c)
  if now >= c.roll then
    c.roll = now + SPANS[1]
    for i, span in ipairs(SPANS) do
      local m = c.marks[i]
      if now - m[2][1] >= span then
        c.marks[i] = {m[2], {now, c.n}}
      end
    end
  end
  c.n = c.n + 1
  c.since = now
end

local function grow(c)
  c.wins = c.wins + 1
  if k.narrow then
    if c.wins >= FULL_FLIGHTS * c.limit then
      c.limit, c.wins = c.limit + 1, 0
    end
  elseif c.wins >= c.limit and now - c.grew >= BREATH then
    c.limit, c.wins, c.grew = c.limit * 2, 0, now
  end
end

local function sustained(c, r)
  local rate, n = 0, 0
  for _, marks in ipairs(c.marks) do
    for _, m in ipairs(marks) do
      local took = max(SHORTEST, r.window, r.at - m[1] + r.closed) / SECOND
      local x = max(1, c.n - m[2]) / took
      if x > rate then
        rate, n = x, c.n - m[2]
      end
    end
  end
  return rate, n
end

local function learn(c, r)
  local rate, n = sustained(c, r)
  local measured = n >= FEW or c.tried and r.at - c.start <= k.window
  if r.speed > 0 then
    local lasted = max(k.window, r.at - c.start)
    local lower = r.speed * (1 - RETREAT * k.window / lasted)
    if not measured then
      rate = lower
    end
    rate = min(rate, lower)
  elseif not measured then
    k.cycle.limit = FIRST_FLIGHT
    return
  end
  k.rate, k.progress = rate, 0
end

local function open()
  local last = k.cycle
  k.cycle, k.trial, k.trials = k.trial, nil, 0
  k.cycle.limit = max(k.cycle.limit, last.limit)
  if k.refusal then
    learn(last, k.refusal)
    k.refusal = nil
  end
  if k.rate > 0 then
    k.next = k.cycle.start + interval()
  end
  if closed() == 0 then
    redis.call('HDEL', KEYS[3], field) -- another node's clock, after a failover, might see that it is over otherwise
  end
end

local function refused(c, after, window)
  local wait = after
  if c and c == k.cycle and not k.refusal then
    k.refusal = {at = now, speed = speed(), window = window, closed = 0}
    k.window = window > 0 and window or max(after, k.window / 2, SHORTEST)
    if wait == 0 then
      wait = min(k.window, LONGEST)
    end
    k.trial = cycle(1)
  elseif c and c == k.trial then
    local grown = 2 * k.window
    if k.trials == 0 then
      grown = max(k.window, SHORTEST) * 1.1
    end
    k.trials = k.trials + 1
    k.window = min(max(grown, window), LONGEST)
    wait = max(wait, k.window)
    if k.refusal then
      k.refusal.closed = now - k.refusal.at + wait
    end
    k.trial = cycle(1)
  end
  if k.refusal and after > SHORTEST then
    k.refusal.closed = max(k.refusal.closed, now - k.refusal.at + after)
  end
  raise(wait)
end

local function narrowed(c, after)
  k.narrow = true
  if c.settling == 0 then
    local flying = flying(c)
    local most = min(c.limit, flying + 1)
    if most == 1 then
      after = max(after, SHORTEST)
    end
    c.limit = max(1, floor(most * 3 / 4))
    c.wins, c.settling = 0, flying
  end
  raise(after)
end

-- land takes a call out of those in flight and returns the cycle that it belongs to, and whether its flight was full; nil if
-- that is over, or the call is not known or has landed before.
local function land(id)
  local at = redis.call('ZSCORE', KEYS[2], id)
  if not at then
    return nil
  end
  at = at + 0
  local c = k.trial and k.trial.tried and at >= k.trial.start and k.trial or at >= k.cycle.start and k.cycle or nil
  local full = c and (c.blocked or flying(c) >= c.limit)
  redis.call('ZREM', KEYS[2], id)
  if c then
    c.settling = max(min(c.settling - 1, flying(c)), 0)
  end
  return c, full
end

local function done(id, outcome, after, window)
  local c, full
  if id ~= '' then
    c, full = land(id)
  elseif new then
    c = k.cycle -- from now on
  end
  if outcome == 'refused' then
    refused(c, after, window)
  elseif outcome == 'crowded' then
    if new then -- how many are in flight is counted from when they have come back
      raise(max(after, SHORTEST))
    elseif c then
      narrowed(c, after)
    else
      raise(after)
    end
  elseif c and outcome == 'unused' then
    if c == k.cycle and paced() then
      k.next = k.next - interval()
    end
  elseif c then
    succeeded(c)
    if full then
      grow(c)
    end
    if c == k.trial then
      open()
    end
  end
  return {ceil(closed()), ceil(life())}
end

local answer
if op == 'admit' then
  add(5)
  answer = admit(ARGV[3] + 0, ARGV[4])
else
  add(7)
  answer = done(ARGV[3], ARGV[4], ARGV[5] + 0, ARGV[6] + 0)
end
redis.call('SET', KEYS[1], cjson.encode(k), 'PX', ceil(life() / 1000))
hold('pace of ' .. field, life(), life() / 2)
return {k.rate > 0 and ceil(interval()) or 0, k.window, unpack(answer)}
