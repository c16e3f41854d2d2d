/**
 * What the scripts about incidents have in common. ARGV[1] is the prefix, ARGV[2] the time to live (s), KEYS[1] the outbox. Time is Redis' own, so that
 * machines with different clocks agree; while an arrival is decided it is that of its coming. Every key is made from the prefix: a prefix in braces keeps them in
 * one slot of a cluster.
 *
 * `alert:<key>` holds the last known occurrence of an alert: incident, `f`iring or `r`esolved, the starts of its latest occurrences, newest first, and the
 * hour in which that was written. `firing:<incident>` is the set of its alerts that fire. A member of the outbox is kind, incident, round (`-`: happens
 * once) and priority.
 */
export const INCIDENT_LUA = `
local outbox, prefix, ttl = KEYS[1], ARGV[1], ARGV[2]
-- Changes nothing, but fails when Redis is full: once a script has written, Redis lets it write on, and would then refuse the job.
redis.call('ZADD', outbox, 'XX', 0, '')
local function whole(number) return string.format('%.0f', number) end
local now, nowText, hour
local function setClock(ms)
  now, nowText, hour = ms, whole(ms), whole(math.floor(ms / 3600000))
end
local clock = redis.call('TIME')
setClock(clock[1] * 1000 + math.floor(clock[2] / 1000))

local function alertKey(key) return prefix .. ':alert:' .. key end
local function incidentKey(id) return prefix .. ':incident:' .. id end
local function firingKey(id) return prefix .. ':firing:' .. id end

-- One line of the record of decisions: number, time, decision, reason. The latest 50 stay.
local TRAIL = 50
local function line(n, decision, reason)
  return 'decision:' .. n % TRAIL, n .. ' ' .. nowText .. ' ' .. decision .. ' ' .. reason
end
local function trail(id, decision, reason)
  local n = redis.call('HINCRBY', incidentKey(id), 'decisions', 1)
  redis.call('HSET', incidentKey(id), line(n, decision, reason))
end

-- The known occurrence of an alert, or nil.
local function readOccurrence(text)
  if not text then return nil end
  local id, state, starts, written = string.match(text, '^(%S+) (%a) (%S+) (%d+)$')
  return { id = id, open = state == 'f', starts = starts, start = tonumber(string.match(starts, '^[^,]+')), written = written }
end
local function writeOccurrence(key, id, state, starts)
  redis.call('SET', alertKey(key), id .. ' ' .. state .. ' ' .. starts .. ' ' .. hour, 'EX', ttl)
end

local FIELDS = { 'state', 'openedAtMs', 'priority', 'grown', 'taken', 'heldUntilMs', 'truncatedAlerts', 'stage', 'flapping',
  'kept', 'startsAtMs', 'alertCount', 'decisions', 'touchedAtMs' }
-- The incident, or nil when it is forgotten. One that flaps stays open until its quiet time is over.
local function readIncident(id)
  local f = redis.call('HMGET', incidentKey(id), unpack(FIELDS))
  if not f[1] then return nil end
  return { id = id, open = f[1] == 'firing' and not (f[6] and tonumber(f[6]) <= now), opened = tonumber(f[2] or 0), priority = f[3] or '0',
    grown = f[4] or '0', taken = f[5] or '0', held = f[6], truncated = f[7], stage = f[8], flapping = f[9], kept = tonumber(f[10] or 0),
    startsAt = tonumber(f[11] or 0), count = tonumber(f[12] or 0), decisions = tonumber(f[13] or 0), touched = tonumber(f[14] or 0) }
end

local function investigateJob(it) return 'investigate ' .. it.id .. ' - ' .. it.priority end
local function grownJob(it) return 'grown ' .. it.id .. ' ' .. it.grown .. ' ' .. it.priority end
local function acknowledgedJob(it) return 'acknowledged ' .. it.id .. ' ' .. it.taken .. ' 0' end
local function resolvedJob(it) return 'resolved ' .. it.id .. ' - 0' end
-- What is in the outbox of an incident and due.
local function pendingOf(it, into)
  local members = { investigateJob(it), grownJob(it), acknowledgedJob(it), resolvedJob(it) }
  local scores = redis.call('ZMSCORE', outbox, unpack(members))
  for at, member in ipairs(members) do
    if scores[at] and tonumber(scores[at]) <= now then into[#into + 1] = member end
  end
end
`;
