import { INCIDENT_LUA } from './incident-lua.ts';

/**
 * KEYS[1] outbox. ARGV: prefix, time to live (s), join window (ms), alerts kept an incident, occurrences that make it flap, within (ms), quiet time that
 * ends it (ms), then the notifications. Each is its header as JSON, truncated alerts, key of the delivery or '', facts, number of claims, then four a claim:
 * key, status, startsAt (ms), alert JSON or ''. A status is `F`iring or `R`esolved; small letters when the start is only the time of receipt. Facts are lines,
 * one for each of the first claims: rank of its severity, tab, service. Returns a text for each notification: decision, incident id or '', outbox members of
 * all incidents concerned, a line each; or `failed` and why.
 *
 * Each notification is decided by itself, in turn. What it changes in an incident is gathered and written by one command.
 */
const READ = `
local window, cap = tonumber(ARGV[3]), tonumber(ARGV[4])
local flapTimes, flapWindow, quiet = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local FIRST_NOTIFICATION, HEAD, WIDTH = 8, 5, 4
local DELIVERY_TTL, LATEST_STARTS, DAY = 259200, 20, 86400000
-- Times to live are far longer than this: often enough to begin them anew.
local TOUCH = 3600000
-- Lua hands a command no more than some thousand arguments.
local MOST_ARGUMENTS = 1000

-- The notification that is looked at, and what has become of it so far.
local header, truncated, delivery, facts, first, last
local incidents, order, claim, known, target, home, fresh, decision, added, placed, ended, again

local function look(id)
  if incidents[id] == nil then
    local it = readIncident(id) or false
    incidents[id] = it
    if it then it.fields, it.joining, order[#order + 1] = {}, {}, id end
  end
  return incidents[id]
end
local function writeFields(it)
  if #it.fields == 0 then return end
  redis.call('HSET', incidentKey(it.id), unpack(it.fields))
  it.fields = {}
end
local function set(it, field, value)
  local fields = it.fields
  local n = #fields
  fields[n + 1], fields[n + 2] = field, value
  if n + 2 >= MOST_ARGUMENTS then writeFields(it) end
end
local function note(it, what, reason)
  it.decisions = it.decisions + 1
  set(it, 'decisions', it.decisions)
  set(it, line(it.decisions, what, reason))
end

-- Its alerts that fire.
local function writeJoining(it)
  if #it.joining == 0 then return end
  local new = redis.call('SADD', firingKey(it.id), unpack(it.joining))
  if new > 0 then redis.call('EXPIRE', firingKey(it.id), ttl) end
  it.joining = {}
  if it == fresh then it.fires = it.fires + new end
end
local function fires(it, key)
  it.joining[#it.joining + 1] = key
  if #it.joining == MOST_ARGUMENTS then writeJoining(it) end
end
local function firesNoLonger(it, key)
  writeJoining(it)
  return redis.call('SREM', firingKey(it.id), key) == 1
end
local function countFiring(it)
  writeJoining(it)
  return it == fresh and it.fires or redis.call('SCARD', firingKey(it.id))
end

local function startsWithin(starts, from)
  local times, since = 0, nil
  for text in string.gmatch(starts, '[^,]+') do
    if tonumber(text) > from then times, since = times + 1, text end
  end
  return times, since
end
local function withStart(start, starts)
  local all, n = start, 1
  for text in string.gmatch(starts, '[^,]+') do
    if n < LATEST_STARTS and tonumber(text) > tonumber(start) - DAY then all, n = all .. ',' .. text, n + 1 end
  end
  return all
end

local function isFiring(at)
  local status = ARGV[at + 1]
  return status == 'F' or status == 'f'
end
local function readKnown()
  for from = first, last, MOST_ARGUMENTS * WIDTH do
    local keys = {}
    for at = from, math.min(last, from + MOST_ARGUMENTS * WIDTH - 1), WIDTH do keys[#keys + 1] = alertKey(ARGV[at]) end
    for n, text in ipairs(redis.call('MGET', unpack(keys))) do
      local it = readOccurrence(text)
      if it and look(it.id) then known[from + (n - 1) * WIDTH] = it end
    end
  end
end

-- What a claim is: 'same' occurrence as the known one, an 'old' one, or the alert firing 'again'.
local function judge(at, it)
  local status, start = ARGV[at + 1], tonumber(ARGV[at + 2])
  if status == 'r' or status == 'R' and start >= it.start or status == 'F' and start == it.start or status == 'f' and it.open then return 'same' end
  if status == 'f' or start > it.start then return 'again' end
  -- A clock that was years ahead must not keep out whatever begins before that time.
  if status == 'F' and not it.open and it.start > now + DAY then return 'again' end
  if status ~= 'F' or not it.open or string.find(',' .. it.starts .. ',', ',' .. ARGV[at + 2] .. ',', 1, true) then return 'old' end
  -- The sender has learned of an earlier start: the occurrence is the same.
  it.starts = string.gsub(it.starts, '^[^,]+', ARGV[at + 2])
  it.written = ''
  return 'same'
end
local function judgeAll()
  for at = first, last, WIDTH do
    local it = known[at]
    if it then
      local incident = incidents[it.id]
      claim[at] = judge(at, it)
      if it.written ~= hour then writeOccurrence(ARGV[at], it.id, it.open and 'f' or 'r', it.starts) end
      if claim[at] == 'again' then
        it.starts = withStart(ARGV[at + 2], it.starts)
        it.times, it.since = startsWithin(it.starts, tonumber(ARGV[at + 2]) - flapWindow)
        if it.times >= flapTimes and incident.open then target[at] = incident end
      elseif incident.open and (not home or incident.opened > home.opened) then
        home = incident
      end
    end
  end
end
`;

const PLACE = `
-- A firing alert that has no place needs one.
local function needsHome(at)
  return not target[at] and (claim[at] == 'again' or not claim[at] and isFiring(at))
end
local function openIncident(id, at)
  decision = 'new'
  local rank = tonumber(string.match(facts, '^[%d.]+') or '0')
  local priority = whole(rank * 2)
  home = { id = id, open = true, opened = now, priority = priority, grown = '0', taken = '0', truncated = truncated, stage = 'waiting', kept = 0,
    startsAt = tonumber(ARGV[at + 2]), count = 0, decisions = 0, touched = 0, fires = 0, joining = {},
    fields = { 'header', header, 'state', 'firing', 'openedAtMs', nowText, 'truncatedAlerts', truncated, 'priority', priority, 'stage', 'waiting' } }
  fresh, incidents[id], order[#order + 1] = home, home, id
  redis.call('ZADD', outbox, nowText, investigateJob(home))
  redis.call('ZADD', prefix .. ':incidents', nowText, id)
end
local function findHome()
  for at = first, last, WIDTH do
    if needsHome(at) then
      decision = 'joined'
      if not home or home.opened < now - window then
        local id = 'inc_' .. string.sub(redis.sha1hex(ARGV[at] .. ' ' .. ARGV[at + 2]), 1, 24)
        home = look(id)
        if not home then openIncident(id, at) end
      end
      return
    end
  end
end

local function keep(it, at)
  if ARGV[at + 3] ~= '' then set(it, 'alert:' .. ARGV[at], ARGV[at + 3]) end
end
local function keepAgain(it, at)
  if redis.call('HEXISTS', incidentKey(it.id), 'alert:' .. ARGV[at]) == 1 then keep(it, at) end
end
local function put(at)
  local there, it = known[at], target[at] or home
  writeOccurrence(ARGV[at], it.id, isFiring(at) and 'f' or 'r', there and there.starts or ARGV[at + 2])
  if there and there.open and there.id ~= it.id and firesNoLonger(incidents[there.id], ARGV[at]) then
    ended[there.id] = 'fires again in ' .. it.id
  end
  if isFiring(at) then fires(it, ARGV[at]) end
  placed[#placed + 1] = at
  if claim[at] == 'again' then again[it.id] = again[it.id] or at end
  if there and there.id == it.id then return keepAgain(it, at) end
  added = added + 1
  if isFiring(at) then it.startsAt = math.min(it.startsAt, tonumber(ARGV[at + 2])) end
  if it.kept < cap and ARGV[at + 3] ~= '' then
    it.kept = it.kept + 1
    keep(it, at)
  end
end
local function resolve(at)
  local it = known[at]
  writeOccurrence(ARGV[at], it.id, 'r', it.starts)
  if firesNoLonger(incidents[it.id], ARGV[at]) then
    ended[it.id] = 'resolved'
    keepAgain(incidents[it.id], at)
  end
end
local function placeAll()
  for at = first, last, WIDTH do
    if claim[at] == 'again' or not claim[at] and home then
      put(at)
    elseif claim[at] == 'same' and known[at].open and not isFiring(at) then
      resolve(at)
    end
  end
  if #placed > 0 and decision == 'repeat' then decision = 'joined' end
  if added > 0 then
    set(home, 'alertCount', home.count + added)
    set(home, 'kept', home.kept)
    set(home, 'startsAtMs', whole(home.startsAt))
  end
  if home and home.truncated ~= truncated then set(home, 'truncatedAlerts', truncated) end
end
`;

const TELL = `
-- An alert that fired before: which incident follows which, and whether it flaps.
local function tellAgain(it, at)
  local there = known[at]
  if it == fresh then
    local times, since = startsWithin(there.starts, tonumber(ARGV[at + 2]) - DAY)
    set(it, 'follows', there.id)
    set(it, 'recurs', times .. ' ' .. since)
  end
  if there.times >= flapTimes then
    local times, since = string.match(it.flapping or '', '^(%d+) (%d+)$')
    it.flapping = times and whole(times + 1) .. ' ' .. since or there.times .. ' ' .. there.since
    set(it, 'flapping', it.flapping)
  end
  if it.held then
    it.held = nil
    redis.call('HDEL', incidentKey(it.id), 'heldUntilMs', 'resolvedAtMs')
    redis.call('ZREM', outbox, resolvedJob(it))
  end
  if it ~= fresh then note(it, 'joined', 'its alert fires again' .. (it.flapping and ', it flaps: ' .. string.match(it.flapping, '^%d+') .. ' times' or '')) end
end

-- Whether an incident has grown materially since it was last looked at. 'waiting': nobody has looked yet.
local function measure(it)
  local count = countFiring(it)
  local seen = it == fresh and {} or redis.call('HMGET', incidentKey(it.id), 'seenServices', 'seenRank', 'seenFiring')
  local services, rank, firing = seen[1] or '\\n', tonumber(seen[2] or '99'), tonumber(seen[3] or '0')
  local news, at, isPlaced = nil, first, {}
  for _, one in ipairs(placed) do isPlaced[one] = true end
  for severity, service in string.gmatch(facts, '([%d.]+)\\t([^\\n]*)\\n') do
    if isPlaced[at] and (target[at] or home) == it and isFiring(at) then
      if tonumber(severity) < rank then rank, news = tonumber(severity), 'it is graver' end
      if service ~= '' and not string.find(services, '\\n' .. service .. '\\n', 1, true) then
        services, news = services .. service .. '\\n', 'another service: ' .. service
      end
    end
    at = at + WIDTH
  end
  if count >= 2 * firing and count >= firing + 3 then news = count .. ' alerts fire, and ' .. firing .. ' did' end
  -- One that another's investigation covers is looked at, too: grown graver, it is placed again.
  local isLookedAt = it.stage == 'investigating' or it.stage == 'reported' or it.stage == 'gave-up' or it.stage == 'joined'
  if not news and isLookedAt then return nil end
  set(it, 'seenServices', services)
  set(it, 'seenRank', rank)
  set(it, 'seenFiring', count)
  return isLookedAt and news or nil
end
local function grow(it)
  local news = measure(it)
  if it == fresh then return note(it, 'new', added .. ' alerts that no open incident knows') end
  if added > 0 then note(it, 'joined', added .. ' more alerts in a group with its own') end
  if not news then return end
  note(it, 'grown', news)
  if not redis.call('ZSCORE', outbox, grownJob(it)) then
    it.grown = whole(it.grown + 1)
    set(it, 'grown', it.grown)
    redis.call('ZADD', outbox, nowText, grownJob(it))
  end
end

-- Returns the incident when this was its end.
local function tellEnded(it, why)
  local left = countFiring(it)
  if decision == 'repeat' then decision = 'joined' end
  if left > 0 then return note(it, 'joined', 'an alert ' .. why .. ', ' .. left .. ' still fire') end
  set(it, 'resolvedAtMs', nowText)
  if it.flapping then
    set(it, 'heldUntilMs', whole(now + quiet))
    redis.call('ZADD', outbox, now + quiet, resolvedJob(it))
    return note(it, 'held', 'it flaps: resolved when it stays quiet for ' .. quiet / 1000 .. ' s')
  end
  set(it, 'state', 'resolved')
  redis.call('ZADD', outbox, nowText, resolvedJob(it))
  note(it, 'resolved', 'the last of its alerts ' .. why)
  return it
end
local function tellAll()
  for id, at in pairs(again) do tellAgain(incidents[id], at) end
  if home and #placed > 0 then grow(home) end
  local main = home
  for _, id in ipairs(order) do
    local over = ended[id] and tellEnded(incidents[id], ended[id])
    if over and decision ~= 'new' and ended[id] == 'resolved' then decision, main = 'resolved', over end
  end
  return main and main.id or next(again) or order[1] or ''
end

local function save(it)
  writeJoining(it)
  local isDue = now - it.touched >= TOUCH
  if isDue then set(it, 'touchedAtMs', nowText) end
  writeFields(it)
  if not isDue then return end
  redis.call('EXPIRE', incidentKey(it.id), ttl)
  if it ~= fresh then redis.call('EXPIRE', firingKey(it.id), ttl) end
end

-- A delivery that was taken before: nothing to decide.
local function takenBefore()
  local taken = delivery ~= '' and redis.call('GET', delivery)
  if taken == '' then return { 'ignored', '' } end
  local it = taken and readIncident(taken)
  if not it then return nil end
  local reply = { 'repeat', taken }
  pendingOf(it, reply)
  return reply
end

local function admit()
  local reply = takenBefore()
  if reply then return table.concat(reply, '\\n') end
  incidents, order, claim, known, target, placed, ended, again = {}, {}, {}, {}, {}, {}, {}, {}
  home, fresh, added = nil, nil, 0
  readKnown()
  judgeAll()
  decision = #order == 0 and 'ignored' or 'repeat'
  findHome()
  placeAll()
  local id = tellAll()
  if decision == 'repeat' then redis.call('HINCRBY', incidentKey(id), 'repeats', 1) end
  for _, one in ipairs(order) do save(incidents[one]) end
  if delivery ~= '' then redis.call('SET', delivery, id, 'EX', DELIVERY_TTL) end
  reply = { decision, id }
  for _, one in ipairs(order) do
    if incidents[one] == fresh and not ended[one] then reply[#reply + 1] = investigateJob(fresh) else pendingOf(incidents[one], reply) end
  end
  return table.concat(reply, '\\n')
end

local replies, at = {}, FIRST_NOTIFICATION
while at <= #ARGV do
  header, truncated, delivery, facts, first = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], at + HEAD
  last = first + ARGV[at + 4] * WIDTH - 1
  -- Nobody's alert is refused because of another's.
  local isDone, reply = pcall(admit)
  replies[#replies + 1] = isDone and reply or 'failed\\n' .. (type(reply) == 'table' and reply.err or reply)
  at = last + 1
end
redis.call('ZREMRANGEBYSCORE', prefix .. ':incidents', '-inf', now - ttl * 1000)
return replies
`;

/** Decides what notifications mean and records it, in one step for all receivers (rules: src/intake/README.md). */
export const ADMISSION_SCRIPT = INCIDENT_LUA + READ + PLACE + TELL;

/** KEYS[1] outbox. ARGV: prefix, time to live (s), key of the alert, by, at (ms). Returns {incident id, outbox members…}, or nothing when none is open. */
export const ACKNOWLEDGE_SCRIPT = `${INCIDENT_LUA}
local occurrence = readOccurrence(redis.call('GET', alertKey(ARGV[3])))
local it = occurrence and readIncident(occurrence.id)
if not it or not it.open then return {} end
-- Sent again, it is the same acknowledgement.
if redis.call('HGET', incidentKey(it.id), 'acknowledgedAtMs') ~= ARGV[5] then
  redis.call('HSET', incidentKey(it.id), 'acknowledgedBy', ARGV[4], 'acknowledgedAtMs', ARGV[5])
  it.taken = whole(redis.call('HINCRBY', incidentKey(it.id), 'taken', 1))
  redis.call('ZADD', outbox, now, acknowledgedJob(it))
  trail(it.id, 'acknowledged', ARGV[4] == '' and 'somebody has taken it on' or 'taken on by ' .. ARGV[4])
end
local reply = { it.id }
pendingOf(it, reply)
return reply
`;
