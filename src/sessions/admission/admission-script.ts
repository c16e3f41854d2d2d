import { INCIDENT_LUA } from '../incident-lua.ts';
import { PLACE_CLAIMS } from './place-claims.ts';
import { READ_CLAIMS } from './read-claims.ts';
import { TELL_CHANGES } from './tell-changes.ts';

const ADMIT_EACH = `
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

/**
 * Decides what notifications mean and records it, in one step for all receivers (rules: src/intake/README.md).
 *
 * KEYS[1] outbox. ARGV: prefix, time to live (s), join window (ms), alerts kept an incident, occurrences that make it flap, within (ms), quiet time that
 * ends it (ms), then the notifications. Each is its header as JSON, truncated alerts, key of the delivery or '', facts, number of claims, then four a claim:
 * key, status, startsAt (ms), alert JSON or ''. A status is `F`iring or `R`esolved; small letters when the start is only the time of receipt. Facts are lines,
 * one for each of the first claims: rank of its severity, tab, service. Returns a text for each notification: decision, incident id or '', outbox members of
 * all incidents concerned, a line each; or `failed` and why.
 *
 * Each notification is decided by itself, in turn.
 */
export const ADMISSION_SCRIPT = INCIDENT_LUA + READ_CLAIMS + PLACE_CLAIMS + TELL_CHANGES + ADMIT_EACH;
