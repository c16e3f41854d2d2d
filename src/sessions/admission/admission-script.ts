import { INCIDENT_LUA } from '../incident-lua.ts';
import { PLACE_CLAIMS } from './place-claims.ts';
import { READ_CLAIMS } from './read-claims.ts';
import { TELL_CHANGES } from './tell-changes.ts';

const ADMIT = `
-- A delivery that was taken before: nothing to decide.
local function takenBefore()
  local taken = delivery ~= '' and redis.call('GET', delivery)
  if taken == '' then return 'ignored', '', {} end
  local it = taken and readIncident(taken)
  if it then return 'repeat', taken, { it } end
end

local function admit()
  local before, id, concerned = takenBefore()
  if before then return before, id, concerned end
  incidents, order, claim, known, target, placed, ended, again = {}, {}, {}, {}, {}, {}, {}, {}
  home, fresh, added = nil, nil, 0
  readKnown()
  judgeAll()
  decision = #order == 0 and 'ignored' or 'repeat'
  findHome()
  placeAll()
  id, concerned = tellAll(), {}
  if decision == 'repeat' then redis.call('HINCRBY', incidentKey(id), 'repeats', 1) end
  for n, one in ipairs(order) do
    save(incidents[one])
    concerned[n] = incidents[one]
  end
  if delivery ~= '' then redis.call('SET', delivery, id, 'EX', DELIVERY_TTL) end
  return decision, id, concerned
end

local function acknowledge(key, by, atMs)
  local occurrence = readOccurrence(redis.call('GET', alertKey(key)))
  local it = occurrence and readIncident(occurrence.id)
  if not it or not it.open then return 'ignored', '', {} end
  -- Sent again, it is the same acknowledgement.
  if redis.call('HGET', incidentKey(it.id), 'acknowledgedAtMs') ~= atMs then
    redis.call('HSET', incidentKey(it.id), 'acknowledgedBy', by, 'acknowledgedAtMs', atMs)
    it.taken = whole(redis.call('HINCRBY', incidentKey(it.id), 'taken', 1))
    redis.call('ZADD', outbox, nowText, acknowledgedJob(it))
    trail(it.id, 'acknowledged', by == '' and 'somebody has taken it on' or 'taken on by ' .. by)
  end
  return 'acknowledged', it.id, { it }
end
`;

const DECIDE_EACH = `
local inbox, aside, most = KEYS[2], KEYS[3], tonumber(ARGV[8])
-- While a call lasts Redis does nothing else.
local MOST_CLAIMS = 200
local MOST_ASIDE = 1000
local startMs = now

-- The fields of an arrival by name; of a notification also its parts, and its alerts in their order.
local PARTS = { 'header', 'truncated', 'delivery', 'facts', 'claims' }
local function open(fields)
  local it, alerts, n = {}, {}, 0
  for at = 1, #fields, 2 do it[fields[at]] = fields[at + 1] end
  for part in string.gmatch(it.notification or '', '([^\\30]*)\\30') do
    n = n + 1
    if PARTS[n] then it[PARTS[n]] = part else alerts[n - #PARTS] = part end
  end
  return it, alerts
end
local function decide(it, alerts)
  claims = {}
  if it.acknowledges then return acknowledge(it.acknowledges, it.by, it.at) end
  header, truncated, delivery, facts = it.header, it.truncated, it.delivery, it.facts
  local n = 0
  for key, status, start in string.gmatch(it.claims, '(%S+) (%a) (%S+)\\n') do
    n = n + 1
    local at = #claims
    claims[at + 1], claims[at + 2], claims[at + 3], claims[at + 4] = key, status, start, alerts[n] or ''
  end
  return admit()
end
local function countOf(it, pattern)
  return select(2, string.gsub(it.claims or '', pattern, ''))
end
local function keepAside(id, fields, why)
  redis.call('XADD', aside, '*', 'arrival', id, 'reason', why, unpack(fields))
  return why
end
-- Nil and why when it has to stay where it is.
local function answer(id, fields)
  local it, alerts = open(fields)
  local reply = { id, it.source or '', it.trace or '', countOf(it, '\\n'), countOf(it, ' [Ff] ') }
  -- What counts is when it came in, not when somebody got round to it. When the clock was set back, new ids go on from the latest.
  setClock(math.min(startMs, tonumber(string.match(id, '^%d+'))))
  -- Nobody's alert is held up by another's.
  local isDone, what, incident, concerned = pcall(decide, it, alerts)
  if not isDone then
    what = string.gsub(tostring(type(what) == 'table' and what.err or what), '%s+', ' ')
    -- That many are no accident: better all wait than that one is lost.
    if redis.call('XLEN', aside) >= MOST_ASIDE then return nil, what end
  end
  reply[6], reply[7] = isDone and what or 'undecided', isDone and incident or keepAside(id, fields, what)
  if isDone then
    for _, one in ipairs(concerned) do pendingOf(one, reply) end
  end
  return table.concat(reply, '\\n')
end

local replies, weight = {}, 0
while #replies < most and weight < MOST_CLAIMS do
  local entry = redis.call('XRANGE', inbox, '-', '+', 'COUNT', 1)[1]
  if not entry then break end
  local reply, why = answer(entry[1], entry[2])
  if not reply then
    if #replies > 0 then break end
    return redis.error_reply('ERR too many arrivals could not be decided, this one because of: ' .. why)
  end
  replies[#replies + 1] = reply
  weight = weight + #claims / WIDTH
  redis.call('XDEL', inbox, entry[1])
end
if #replies > 0 then redis.call('ZREMRANGEBYSCORE', prefix .. ':incidents', '-inf', clock[1] * 1000 - ttl * 1000) end
return replies
`;

/**
 * Takes the oldest arrivals out of the inbox, decides what each means, in turn, and records it: one step for all processes (rules: src/intake/README.md).
 *
 * KEYS: outbox, inbox, arrivals kept aside. ARGV: prefix, time to live (s), join window (ms), alerts kept an incident, occurrences that make it flap, within
 * (ms), quiet time that ends it (ms), most arrivals a call. Fields of an arrival: inbox.ts.
 *
 * Returns a text for each: lines of arrival id, source, traceparent or '', alerts, firing ones, decision, incident id or '', then the outbox members of all
 * incidents concerned; or `undecided` and why. An error when so many are kept aside that the oldest arrival has to wait.
 */
export const ADMISSION_SCRIPT = INCIDENT_LUA + READ_CLAIMS + PLACE_CLAIMS + TELL_CHANGES + ADMIT + DECIDE_EACH;

/** KEYS: arrivals kept aside, inbox. Returns how many it put back; their own fields follow two about why they are there. */
export const RETRY_ASIDE = `
local entries = redis.call('XRANGE', KEYS[1], '-', '+')
for _, entry in ipairs(entries) do
  redis.call('XADD', KEYS[2], '*', unpack(entry[2], 5))
  redis.call('XDEL', KEYS[1], entry[1])
end
return #entries
`;
