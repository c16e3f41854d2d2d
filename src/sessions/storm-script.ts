import { INCIDENT_LUA } from './incident-lua.ts';

/**
 * KEYS[1] outbox. ARGV: prefix, time to live (s), incidents within the window that are no storm yet, window (ms), quiet time that ends a storm (ms). Keys:
 * `storm` names the one that is on, `storm:<id>` is its hash, with `:incidents` by the time they were opened and `:leads`; `storms` are those to be told.
 */
const DETECT = `${INCIDENT_LUA}
local threshold, window, quiet = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local MOST = 5000
local function stormKey(id) return prefix .. ':storm:' .. id end

-- Incidents opened since then, with their times. Checks are opened by the clock and make no storm.
local function openedSince(from)
  local found = redis.call('ZRANGEBYSCORE', prefix .. ':incidents', whole(from), '+inf', 'WITHSCORES', 'LIMIT', 0, MOST)
  local ids, times = {}, {}
  for at = 1, #found, 2 do
    if string.sub(found[at], 1, 4) == 'inc_' then ids[#ids + 1], times[#ids + 1] = found[at], tonumber(found[at + 1]) end
  end
  return ids, times
end

-- Takes what has been opened into the storm that is on, ends it when it is quiet, begins one. Returns its id, or nil.
local function detect()
  local id = redis.call('GET', prefix .. ':storm')
  local latest = id and tonumber(redis.call('HGET', stormKey(id), 'joinedAtMs'))
  if not latest then
    local ids, times = openedSince(now - window)
    if #ids <= threshold then return nil end
    id, latest = 'storm_' .. string.sub(redis.sha1hex(ids[1]), 1, 24), times[1]
    redis.call('SET', prefix .. ':storm', id, 'EX', ttl)
    redis.call('HSETNX', stormKey(id), 'startedAtMs', whole(latest))
    redis.call('ZADD', prefix .. ':storms', latest, id)
  end
  local ids, times = openedSince(latest)
  for at, one in ipairs(ids) do
    if times[at] - latest > quiet then break end
    redis.call('ZADD', stormKey(id) .. ':incidents', times[at], one)
    latest = times[at]
  end
  redis.call('HSET', stormKey(id), 'joinedAtMs', whole(latest))
  redis.call('EXPIRE', stormKey(id), ttl)
  redis.call('EXPIRE', stormKey(id) .. ':incidents', ttl)
  if now - latest <= quiet then return id end
  redis.call('HSET', stormKey(id), 'overAtMs', now)
  redis.call('DEL', prefix .. ':storm')
  return nil
end
`;

/** Brings storms up to date; returns the one that is on, or ''. */
export const DETECT_STORM = `${DETECT}
return detect() or ''
`;

/**
 * Further ARGV: most investigations of a storm, time that a tie holds (s), incident, number of its own ties, then its own ties and all in its reach. Returns
 * its placement, which stays: `alone`, `leads`, `member <lead>` or `summary-only`.
 */
export const PLACE_INCIDENT = `${DETECT}
local mostLeads, tieTtl, id, owned = tonumber(ARGV[6]), ARGV[7], ARGV[8], tonumber(ARGV[9])
local FIRST = 10
local function tieKey(at) return prefix .. ':tie:' .. ARGV[at] end
local function placementOf(one) return redis.call('HGET', incidentKey(one), 'placement') end

local storm = detect()
local placement, it = placementOf(id), readIncident(id)
if placement then return placement end
if not it then return 'alone' end

-- The gravest and then the earliest that may lead it: of this storm, open, not less grave, and no member itself.
local function leadFor(storm)
  local started, best = tonumber(redis.call('HGET', stormKey(storm), 'startedAtMs')), nil
  for at = FIRST + owned, #ARGV do
    local lead = redis.call('GET', tieKey(at))
    local other = lead and lead ~= id and readIncident(lead)
    if other then
      other.rank = tonumber(other.priority)
      local mayLead = other.open and other.opened >= started and other.rank <= tonumber(it.priority)
      local isBetter = not best or other.rank < best.rank or other.rank == best.rank and other.opened < best.opened
      if mayLead and isBetter then best = other end
    end
  end
  return best
end

placement = 'alone'
if storm then
  local lead = leadFor(storm)
  if lead then
    placement = 'member ' .. lead.id
    redis.call('SADD', prefix .. ':members:' .. lead.id, id)
    redis.call('EXPIRE', prefix .. ':members:' .. lead.id, ttl)
  elseif it.priority ~= '0' and redis.call('SCARD', stormKey(storm) .. ':leads') >= mostLeads then
    placement = 'summary-only'
  else
    placement = 'leads'
    redis.call('SADD', stormKey(storm) .. ':leads', id)
    redis.call('EXPIRE', stormKey(storm) .. ':leads', ttl)
  end
end
if placement == 'alone' or placement == 'leads' then
  for at = FIRST, FIRST + owned - 1 do redis.call('SET', tieKey(at), id, 'EX', tieTtl) end
end
redis.call('HSET', incidentKey(id), 'placement', placement)
return placement
`;
