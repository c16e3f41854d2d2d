import { INCIDENT_LUA } from '../incident-lua.ts';

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
