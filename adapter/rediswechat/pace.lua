-- What is known of the pace that a server sustains for one key, for all processes together. The logic, and its reasons, are
-- those of ratelimit.Local's pacer; here are the differences. State lives in Redis. A call whose turn is at most AHEAD away
-- gets it at once, with the time to wait, so that a turn costs one question. Calls in flight have a lease, as a process that
-- is killed reports nothing.
--
-- KEYS: the state, as JSON; the leases of calls in flight; the barriers of the app
-- ARGV: the key's field in the barriers, and
--   'admit', an id for the call: returns {calls in a window, its microseconds, 1, microseconds to wait, cycle} with a turn, or
--     {..., 0, microseconds until it makes sense to ask again, the wait that is certain}. No calls: the pace is not known
--   'done', cycle, id, outcome, Retry-After, window: returns {..., microseconds that the key is closed, that its pace is kept}.
--     The cycle of a call that was made while nothing was known is 0. The outcome is 'fine', 'refused', 'crowded' (too many
--     in flight) or 'unused'; Retry-After and window are microseconds, 0 where nobody told.
-- Both may be followed by what the process has counted while nothing was known: for each mark of a cycle the number of calls
-- that succeeded since, and the microseconds that has been.

local SECOND = 1000000
local FIRST_FLIGHT, BREATH, PATIENCE, FULL_FLIGHTS = 2, 0.025 * SECOND, 0.25 * SECOND, 32
local SHORTEST, LONGEST = SECOND, 3600 * SECOND
local MARGIN, PLATEAU, CURIOSITY, RETREAT, FEW = 0.96, 20, 0.02, 0.1, 8
local SLACK, FORGET_AFTER = 0.01 * SECOND, 600 * SECOND
local SPANS = {SECOND, 60 * SECOND, 3600 * SECOND}

local AHEAD = SECOND
local LEASE = 120 * SECOND -- longer than any attempt lasts
local POLL = 0.02 * SECOND -- a call of another process that comes back wakes nobody here

local min, max, floor = math.min, math.max, math.floor
local field, op = ARGV[1], ARGV[2]

local time = redis.call('TIME')
local wall = time[1] * SECOND + time[2]
local k = redis.call('GET', KEYS[1])
local new = not k
local now -- since the state was born: small enough to be exact in JSON

-- A cycle counts the calls between two barriers. It has two marks for each span: {time, successes until then}.
local function cycle(limit)
  k.cycles = k.cycles + 1
  return {id = k.cycles, limit = limit, flying = 0, settling = 0, wins = 0, grew = 0, since = 0, blocked = false,
    tried = false, start = 0, n = 0, roll = 0, marks = {{{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}}}
end

-- begin starts a cycle with a trial.
local function begin(c)
  c.tried, c.start = true, now
  for i = 1, #SPANS do
    c.marks[i] = {{now, 0}, {now, 0}}
  end
end

if new then
  k = {born = string.format('%.0f', wall), at = 0, cycles = 0, trials = 0, narrow = false, rate = 0, window = 0, progress = 0, next = 0}
  k.cycle = cycle(FIRST_FLIGHT)
else
  k = cjson.decode(k)
end
now = wall - k.born
if now < k.at then -- the clock of another node, before a failover, was ahead
  k.born, now = string.format('%.0f', wall - k.at), k.at
end
k.at = now

local function find(id)
  for _, c in pairs({k.cycle, k.trial}) do
    if c.id == id then
      return c
    end
  end
end

local function current() return k.trial or k.cycle end
local function paced() return k.rate > 0 and not k.trial end
local function speed() return k.rate * (MARGIN + CURIOSITY * 2 ^ (k.progress - PLATEAU)) end
local function interval() return SECOND / speed() end
local function life() return max(FORGET_AFTER, 10 * k.window) end

-- hold keeps a field of the barriers for a while, unless it stands for at least enough.
local function hold(name, wait, enough)
  local stands = redis.call('HGET', KEYS[3], name)
  if not stands or stands + 0 < wall + enough then
    redis.call('HSET', KEYS[3], name, string.format('%.0f', wall + wait))
    if redis.call('PTTL', KEYS[3]) < wait / 1000 then
      redis.call('PEXPIRE', KEYS[3], math.ceil(wait / 1000))
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

-- add counts what a process has seen before the first refusal: from there is its first argument.
local function add(from)
  if not ARGV[from] or not (new or k.refusal) then
    return
  end
  local c, most = k.cycle, 0
  for i = from, #ARGV, 2 do
    most = max(most, ARGV[i] + 0)
  end
  for i, marks in ipairs(c.marks) do
    for j, m in ipairs(marks) do
      local at = from + 4 * (i - 1) + 2 * (j - 1)
      marks[j] = {min(m[1], now - ARGV[at + 1]), m[2] + most - ARGV[at]}
    end
  end
  c.n = c.n + most
end

local function full()
  local c = current()
  local was = c.blocked
  c.blocked = c.flying >= c.limit
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

-- reap takes back the places in flight of calls that nobody has reported.
local function reap()
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', wall)) do
    local c = find(tonumber(string.match(member, '^%d+')))
    if c then
      c.flying = c.flying - 1
    end
    redis.call('ZREM', KEYS[2], member)
  end
end

local function admit(id)
  reap()
  local again = closed()
  local known = again
  if again > 0 then
    k.trial = k.trial or cycle(1)
  else
    again = min(full(), POLL)
  end
  local wait = paced() and max(k.next - now, 0) or 0
  if again == 0 and wait > AHEAD then
    again = wait - AHEAD / 2
  end
  if again > 0 then
    return 0, math.ceil(again), math.ceil(max(known, wait))
  end
  local c = current()
  if c == k.trial and c.flying == 0 then
    begin(c)
  end
  c.flying = c.flying + 1
  redis.call('ZADD', KEYS[2], wall + wait + LEASE, c.id .. ':' .. id)
  redis.call('PEXPIRE', KEYS[2], (AHEAD + LEASE) / 1000)
  if paced() then
    k.next = max(k.next, now - max(SLACK, interval() / 2)) + interval()
    if wait > 0 then
      k.progress = k.progress + SECOND / (k.rate * k.window)
    end
  end
  return 1, math.ceil(wait), c.id
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
    local flying = min(c.limit, c.flying + 1)
    if flying == 1 then
      after = max(after, SHORTEST)
    end
    c.limit = max(1, floor(flying * 3 / 4))
    c.wins, c.settling = 0, c.flying
  end
  raise(after)
end

local function done(id, call, outcome, after, window)
  local c = find(id)
  local was = false
  if c then
    was = c.blocked or c.flying >= c.limit
    if redis.call('ZREM', KEYS[2], id .. ':' .. call) == 1 then
      c.flying = c.flying - 1
    end
    c.settling = max(c.settling - 1, 0)
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
    if was then
      grow(c)
    end
    if c == k.trial then
      open()
    end
  end
  return math.ceil(closed()), math.ceil(life())
end

local a, b, c
if op == 'admit' then
  add(4)
  a, b, c = admit(ARGV[3])
else
  add(8)
  a, b = done(ARGV[3] + 0, ARGV[4], ARGV[5], ARGV[6] + 0, ARGV[7] + 0)
end
redis.call('SET', KEYS[1], cjson.encode(k), 'PX', math.ceil(life() / 1000))
hold('pace of ' .. field, life(), life() / 2)
return {k.rate > 0 and max(1, floor(k.rate * k.window / SECOND + 0.5)) or 0, k.window, a, b, c}
