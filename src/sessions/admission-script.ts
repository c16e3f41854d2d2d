import { INCIDENT_LUA } from './incident-lua.ts';

/**
 * KEYS[1] outbox. ARGV: prefix, time to live (s), join window (ms), alerts kept an incident, occurrences that make it flap, within (ms), quiet time that
 * ends it (ms), header JSON, truncated alerts, key of the delivery or '', facts, then four a claim: key, status, startsAt (ms), alert JSON or ''. A status is
 * `F`iring or `R`esolved; small letters when the start is only the time of receipt. Facts are lines, one for each of the first claims: rank of its severity, tab,
 * service. Returns {decision, incident id or '', outbox members of all incidents concerned…}.
 */
const READ = `
local window, cap = tonumber(ARGV[3]), tonumber(ARGV[4])
local flapTimes, flapWindow, quiet = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local header, truncated, delivery, facts = ARGV[8], ARGV[9], ARGV[10], ARGV[11]
local FIRST, WIDTH = 12, 4
local DELIVERY_TTL, LATEST_STARTS, DAY = 259200, 20, 86400000

-- A delivery that was taken before: nothing to decide.
if delivery ~= '' then
  local taken = redis.call('GET', delivery)
  if taken == '' then return { 'ignored', '' } end
  local it = taken and readIncident(taken)
  if it then
    local reply = { 'repeat', taken }
    pendingOf(it, reply)
    return reply
  end
end

local incidents, order = {}, {}
local function look(id)
  if incidents[id] == nil then
    incidents[id] = readIncident(id) or false
    if incidents[id] then
      order[#order + 1] = id
      redis.call('EXPIRE', incidentKey(id), ttl)
      redis.call('EXPIRE', firingKey(id), ttl)
    end
  end
  return incidents[id]
end

local function startsWithin(starts, from)
  local times, first = 0, nil
  for text in string.gmatch(starts, '[^,]+') do
    if tonumber(text) > from then times, first = times + 1, text end
  end
  return times, first
end
local function withStart(start, starts)
  local all, n = start, 1
  for text in string.gmatch(starts, '[^,]+') do
    if n < LATEST_STARTS and tonumber(text) > tonumber(start) - DAY then all, n = all .. ',' .. text, n + 1 end
  end
  return all
end

-- What each claim is: 'same' occurrence as the known one, an 'old' one, the alert firing 'again', or unknown (nil).
local claim, known, target = {}, {}, {}
local home = nil
for at = FIRST, #ARGV, WIDTH do
  local it = readOccurrence(redis.call('GETEX', alertKey(ARGV[at]), 'EX', ttl))
  local incident = it and look(it.id)
  if incident then
    local status, start = ARGV[at + 1], tonumber(ARGV[at + 2])
    known[at] = it
    if status == 'r' or status == 'R' and start >= it.start or status == 'F' and start == it.start or status == 'f' and it.open then
      claim[at] = 'same'
    elseif status == 'f' or start > it.start or status == 'F' and not it.open and it.start > now + DAY then
      -- A clock that was years ahead must not keep out whatever begins before that time.
      claim[at] = 'again'
    elseif status == 'F' and it.open and not string.find(',' .. it.starts .. ',', ',' .. ARGV[at + 2] .. ',', 1, true) then
      -- The sender has learned of an earlier start: the occurrence is the same.
      claim[at] = 'same'
      it.starts = string.gsub(it.starts, '^[^,]+', ARGV[at + 2])
      writeOccurrence(ARGV[at], it.id, 'f', it.starts)
    else
      claim[at] = 'old'
    end
    if claim[at] == 'again' then
      it.starts = withStart(ARGV[at + 2], it.starts)
      it.times, it.since = startsWithin(it.starts, start - flapWindow)
      if it.times >= flapTimes and incident.open then target[at] = incident end
    elseif incident.open and (not home or incident.opened > home.opened) then
      home = incident
    end
  end
end
`;

const PLACE = `
local decision, fresh = 'repeat', nil
if #order == 0 then decision = 'ignored' end

-- A firing alert that has no place needs one.
local function needsHome(at)
  return not target[at] and (claim[at] == 'again' or not claim[at] and string.upper(ARGV[at + 1]) == 'F')
end
for at = FIRST, #ARGV, WIDTH do
  if needsHome(at) then
    decision = 'joined'
    if not home or home.opened < now - window then
      local id = 'inc_' .. string.sub(redis.sha1hex(ARGV[at] .. ' ' .. ARGV[at + 2]), 1, 24)
      home = look(id)
      if not home then
        decision = 'new'
        local rank = tonumber(string.match(facts, '^[%d.]+') or '0')
        home = { id = id, open = true, opened = now, priority = whole(rank * 2), grown = '0', taken = '0', truncated = truncated, stage = 'waiting', kept = 0,
          startsAt = tonumber(ARGV[at + 2]) }
        fresh, incidents[id], order[#order + 1] = home, home, id
        redis.call('HSET', incidentKey(id), 'header', header, 'state', 'firing', 'openedAtMs', now, 'truncatedAlerts', truncated, 'priority', home.priority, 'stage', 'waiting')
        redis.call('ZADD', outbox, now, investigateJob(home))
        redis.call('ZADD', prefix .. ':incidents', now, id)
        redis.call('ZREMRANGEBYSCORE', prefix .. ':incidents', '-inf', now - ttl * 1000)
      end
    end
    break
  end
end

-- Alerts into incidents.
local added, placed, ended, again = 0, {}, {}, {}
local function keep(it, at)
  if ARGV[at + 3] ~= '' then redis.call('HSET', incidentKey(it.id), 'alert:' .. ARGV[at], ARGV[at + 3]) end
end
local function put(at)
  local isFiring, there = string.upper(ARGV[at + 1]) == 'F', known[at]
  local it = target[at] or home
  writeOccurrence(ARGV[at], it.id, isFiring and 'f' or 'r', there and there.starts or ARGV[at + 2])
  if there and there.open and there.id ~= it.id and redis.call('SREM', firingKey(there.id), ARGV[at]) == 1 then
    ended[there.id] = 'fires again in ' .. it.id
  end
  if isFiring then redis.call('SADD', firingKey(it.id), ARGV[at]) end
  placed[#placed + 1] = at
  if claim[at] == 'again' then again[it.id] = again[it.id] or at end
  if there and there.id == it.id then
    if redis.call('HEXISTS', incidentKey(it.id), 'alert:' .. ARGV[at]) == 1 then keep(it, at) end
    return
  end
  added = added + 1
  if isFiring then it.startsAt = math.min(it.startsAt, tonumber(ARGV[at + 2])) end
  if it.kept < cap and ARGV[at + 3] ~= '' then
    it.kept = it.kept + 1
    keep(it, at)
  end
end
for at = FIRST, #ARGV, WIDTH do
  local it = known[at]
  if claim[at] == 'again' or not claim[at] and home then
    put(at)
  elseif claim[at] == 'same' and it.open and string.upper(ARGV[at + 1]) == 'R' then
    writeOccurrence(ARGV[at], it.id, 'r', it.starts)
    if redis.call('SREM', firingKey(it.id), ARGV[at]) == 1 then
      ended[it.id] = 'resolved'
      if redis.call('HEXISTS', incidentKey(it.id), 'alert:' .. ARGV[at]) == 1 then keep(incidents[it.id], at) end
    end
  end
end
if #placed > 0 then
  if decision == 'repeat' then decision = 'joined' end
  if added > 0 then
    redis.call('HINCRBY', incidentKey(home.id), 'alertCount', added)
    redis.call('HSET', incidentKey(home.id), 'kept', home.kept, 'startsAtMs', whole(home.startsAt))
  end
end
if home and home.truncated ~= truncated then redis.call('HSET', incidentKey(home.id), 'truncatedAlerts', truncated) end
for _, at in ipairs(placed) do
  local it = target[at] or home
  if not it.isRefreshed then
    it.isRefreshed = true
    redis.call('EXPIRE', incidentKey(it.id), ttl)
    redis.call('EXPIRE', firingKey(it.id), ttl)
  end
end
`;

const TELL = `
-- An alert that fired before: which incident follows which, and whether it flaps.
for id, at in pairs(again) do
  local it, there = incidents[id], known[at]
  if it == fresh then
    local times, since = startsWithin(there.starts, tonumber(ARGV[at + 2]) - DAY)
    redis.call('HSET', incidentKey(id), 'follows', there.id, 'recurs', times .. ' ' .. since)
  end
  if there.times >= flapTimes then
    local times, since = string.match(it.flapping or '', '^(%d+) (%d+)$')
    it.flapping = times and whole(times + 1) .. ' ' .. since or there.times .. ' ' .. there.since
    redis.call('HSET', incidentKey(id), 'flapping', it.flapping)
  end
  if it.held then
    it.held = nil
    redis.call('HDEL', incidentKey(id), 'heldUntilMs', 'resolvedAtMs')
    redis.call('ZREM', outbox, resolvedJob(it))
  end
  if it ~= fresh then trail(id, 'joined', 'its alert fires again' .. (it.flapping and ', it flaps: ' .. string.match(it.flapping, '^%d+') .. ' times' or '')) end
end

-- Whether an incident has grown materially since it was last looked at. 'waiting': nobody has looked yet.
local function measure(it)
  local seen = it == fresh and {} or redis.call('HMGET', incidentKey(it.id), 'seenServices', 'seenRank', 'seenFiring')
  local services, rank, firing = seen[1] or '\\n', tonumber(seen[2] or '99'), tonumber(seen[3] or '0')
  local news, line, isPlaced = nil, 0, {}
  for _, at in ipairs(placed) do isPlaced[at] = true end
  for severity, service in string.gmatch(facts, '([%d.]+)\\t([^\\n]*)\\n') do
    local at = FIRST + line * WIDTH
    line = line + 1
    if isPlaced[at] and (target[at] or home) == it and string.upper(ARGV[at + 1]) == 'F' then
      if tonumber(severity) < rank then rank, news = tonumber(severity), 'it is graver' end
      if service ~= '' and not string.find(services, '\\n' .. service .. '\\n', 1, true) then
        services, news = services .. service .. '\\n', 'another service: ' .. service
      end
    end
  end
  local fires = redis.call('SCARD', firingKey(it.id))
  if fires >= 2 * firing and fires >= firing + 3 then news = fires .. ' alerts fire, and ' .. firing .. ' did' end
  local isLookedAt = it.stage == 'investigating' or it.stage == 'reported' or it.stage == 'gave-up'
  if not news and isLookedAt then return nil end
  redis.call('HSET', incidentKey(it.id), 'seenServices', services, 'seenRank', rank, 'seenFiring', fires)
  return isLookedAt and news or nil
end
local function grow(it)
  local news = measure(it)
  if it == fresh then return trail(it.id, 'new', added .. ' alerts that no open incident knows') end
  if added > 0 then trail(it.id, 'joined', added .. ' more alerts in a group with its own') end
  if not news then return end
  trail(it.id, 'grown', news)
  if not redis.call('ZSCORE', outbox, grownJob(it)) then
    it.grown = whole(redis.call('HINCRBY', incidentKey(it.id), 'grown', 1))
    redis.call('ZADD', outbox, now, grownJob(it))
  end
end
if home and #placed > 0 then grow(home) end

local main = home
for _, id in ipairs(order) do
  if ended[id] then
    local it, left = incidents[id], redis.call('SCARD', firingKey(id))
    if decision == 'repeat' then decision = 'joined' end
    if left > 0 then
      trail(id, 'joined', 'an alert ' .. ended[id] .. ', ' .. left .. ' still fire')
    elseif it.flapping then
      redis.call('HSET', incidentKey(id), 'heldUntilMs', now + quiet, 'resolvedAtMs', now)
      redis.call('ZADD', outbox, now + quiet, resolvedJob(it))
      trail(id, 'held', 'it flaps: resolved when it stays quiet for ' .. quiet / 1000 .. ' s')
    else
      redis.call('HSET', incidentKey(id), 'state', 'resolved', 'resolvedAtMs', now)
      redis.call('ZADD', outbox, now, resolvedJob(it))
      trail(id, 'resolved', 'the last of its alerts ' .. ended[id])
      if decision ~= 'new' and ended[id] == 'resolved' then decision, main = 'resolved', it end
    end
  end
end

local id = main and main.id or next(again) or order[1] or ''
if decision == 'repeat' then redis.call('HINCRBY', incidentKey(id), 'repeats', 1) end
if delivery ~= '' then redis.call('SET', delivery, id, 'EX', DELIVERY_TTL) end
local reply = { decision, id }
for _, one in ipairs(order) do pendingOf(incidents[one], reply) end
return reply
`;

/** Decides what one notification means and records it, in one step for all receivers (rules: src/intake/README.md). */
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
