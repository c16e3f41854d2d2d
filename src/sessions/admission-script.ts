/**
 * Decides what one notification means and records it, in one step for all receivers (rules: src/intake/README.md).
 *
 * KEYS[1] outbox. ARGV: prefix, time to live (s), join window (ms), alerts kept an incident, header JSON, truncated alerts, then four
 * a claim: key, status, startsAt (ms), alert JSON or ''. Returns {decision, incident id or '', outbox members of all incidents concerned…}.
 * Time is Redis' own, so that receivers with different clocks agree.
 */
export const ADMISSION_SCRIPT = `
local outbox = KEYS[1]
local prefix, ttl, window, cap = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local header, truncated = ARGV[5], ARGV[6]
local FIRST, WIDTH = 7, 4
-- Changes nothing, but fails when Redis is full: once a script has written, Redis lets it write on, and would then refuse the job.
redis.call('ZADD', outbox, 'XX', 0, '')
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local function alertKey(at) return prefix .. ':alert:' .. ARGV[at] end
local function incidentKey(id) return prefix .. ':incident:' .. id end
local function firingKey(id) return prefix .. ':firing:' .. id end

-- Which alerts are known, and which open incident was opened last.
local owner, incidents, order = {}, {}, {}
local home, homeOpened = nil, -1
for at = FIRST, #ARGV, WIDTH do
  local id = redis.call('GETEX', alertKey(at), 'EX', ttl)
  if id and incidents[id] == nil then
    local state = redis.call('HMGET', incidentKey(id), 'state', 'openedAtMs')
    incidents[id] = state[1] or false
    if state[1] then
      order[#order + 1] = id
      redis.call('EXPIRE', incidentKey(id), ttl)
      redis.call('EXPIRE', firingKey(id), ttl)
      local opened = tonumber(state[2])
      if state[1] == 'firing' and opened > homeOpened then home, homeOpened = id, opened end
    end
  end
  if id and incidents[id] then owner[at] = id end
end

local decision = 'repeat'
if #order == 0 then decision = 'ignored' end

-- A firing alert that nobody knows needs a home.
for at = FIRST, #ARGV, WIDTH do
  if not owner[at] and ARGV[at + 1] == 'firing' then
    decision = 'joined'
    if not home or homeOpened < now - window then
      home = 'inc_' .. ARGV[at]
      if redis.call('EXISTS', incidentKey(home)) == 0 then
        decision = 'new'
        redis.call('HSET', incidentKey(home), 'header', header, 'state', 'firing', 'openedAtMs', now,
          'startsAtMs', ARGV[at + 2], 'alertCount', 0, 'kept', 0, 'truncatedAlerts', truncated)
        redis.call('ZADD', outbox, now, 'investigate ' .. home)
        redis.call('ZADD', prefix .. ':incidents', now, home)
        redis.call('ZREMRANGEBYSCORE', prefix .. ':incidents', '-inf', now - ttl * 1000)
      end
      incidents[home] = 'firing'
      order[#order + 1] = home
    end
    break
  end
end

local added, touched = 0, {}
local function keep(id, at)
  if ARGV[at + 3] ~= '' then redis.call('HSET', incidentKey(id), 'alert:' .. ARGV[at], ARGV[at + 3]) end
end
local kept = home and tonumber(redis.call('HGET', incidentKey(home), 'kept')) or 0
local startsAt = home and tonumber(redis.call('HGET', incidentKey(home), 'startsAtMs'))
for at = FIRST, #ARGV, WIDTH do
  local id, status = owner[at], ARGV[at + 1]
  if id and status == 'resolved' then
    if redis.call('SREM', firingKey(id), ARGV[at]) == 1 then
      touched[id] = true
      if redis.call('HEXISTS', incidentKey(id), 'alert:' .. ARGV[at]) == 1 then keep(id, at) end
    end
  elseif not id and home then
    redis.call('SET', alertKey(at), home, 'EX', ttl)
    added = added + 1
    if status == 'firing' then
      redis.call('SADD', firingKey(home), ARGV[at])
      startsAt = math.min(startsAt, tonumber(ARGV[at + 2]))
    end
    if kept < cap and ARGV[at + 3] ~= '' then
      kept = kept + 1
      keep(home, at)
    end
  end
end
if added > 0 then
  if decision == 'repeat' then decision = 'joined' end
  redis.call('HINCRBY', incidentKey(home), 'alertCount', added)
  redis.call('HSET', incidentKey(home), 'kept', kept, 'truncatedAlerts', truncated)
  if startsAt then redis.call('HSET', incidentKey(home), 'startsAtMs', string.format('%.0f', startsAt)) end
  redis.call('EXPIRE', incidentKey(home), ttl)
  redis.call('EXPIRE', firingKey(home), ttl)
end

local main = home
for _, id in ipairs(order) do
  if touched[id] then
    if decision == 'repeat' then decision = 'joined' end
    if redis.call('SCARD', firingKey(id)) == 0 then
      redis.call('HSET', incidentKey(id), 'state', 'resolved', 'resolvedAtMs', now)
      redis.call('ZADD', outbox, now, 'resolved ' .. id)
      if decision ~= 'new' then decision, main = 'resolved', id end
    end
  end
end

local reply = { decision, main or order[1] or '' }
for _, id in ipairs(order) do
  for _, kind in ipairs({ 'investigate ', 'resolved ' }) do
    if redis.call('ZSCORE', outbox, kind .. id) then reply[#reply + 1] = kind .. id end
  end
end
return reply
`;
