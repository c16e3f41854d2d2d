import { INCIDENT_LUA } from './incident-lua.ts';

/**
 * KEYS[1] outbox. ARGV: prefix, time to live (s), incidents within the window that are no storm yet, window (ms), quiet time that ends a storm (ms). Keys:
 * `storm` names the one that is on, `storm:<id>` is its hash, with `:incidents` by the time they were opened and `:leads`; `storms` are those to be told,
 * `storm-log` all. An incident's own hash has the `storm` that it belongs to, its `placement` and its `placedPriority`, which is that of its gravest alert then.
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

local function placedOf(one) return unpack(redis.call('HMGET', incidentKey(one), 'placement', 'placedPriority', 'storm')) end
-- What is none of a storm: counted already, forgotten, or investigated by itself and over by then.
local function isApart(one)
  local placement, _, storm = placedOf(one)
  if storm then return true end
  local it = readIncident(one)
  return not it or placement == 'alone' and not it.open
end

-- Begins a storm when more incidents than the threshold were opened within the window from then on. Returns its id and its first time, or nil.
local function begin(from)
  local ids, times = openedSince(from)
  local within, first = 0, nil
  for at = 1, #ids do
    if times[at] <= from + window then
      within = at
      if not first and not isApart(ids[at]) then first = at end
    end
  end
  if within <= threshold or not first then return nil end
  local id = 'storm_' .. string.sub(redis.sha1hex(ids[first]), 1, 24)
  redis.call('SET', prefix .. ':storm', id, 'EX', ttl)
  redis.call('HSETNX', stormKey(id), 'startedAtMs', whole(times[first]))
  redis.call('ZADD', prefix .. ':storms', times[first], id)
  redis.call('ZADD', prefix .. ':storm-log', times[first], id)
  redis.call('ZREMRANGEBYSCORE', prefix .. ':storm-log', '-inf', whole(now - ttl * 1000))
  redis.call('EXPIRE', prefix .. ':storm-log', ttl)
  return id, times[first]
end

-- Takes what has been opened into the storm that is on, or begins one; ends it when it is quiet. Returns its id while it is on, else nil.
local function detect(from)
  local id = redis.call('GET', prefix .. ':storm')
  local latest = id and tonumber(redis.call('HGET', stormKey(id), 'joinedAtMs'))
  if not latest then id, latest = begin(from) end
  if not id then return nil end
  local ids, times = openedSince(latest)
  for at, one in ipairs(ids) do
    if times[at] - latest > quiet then break end
    if not isApart(one) then
      redis.call('ZADD', stormKey(id) .. ':incidents', times[at], one)
      redis.call('HSET', incidentKey(one), 'storm', id)
    end
    latest = times[at]
  end
  redis.call('HSET', stormKey(id), 'joinedAtMs', whole(latest))
  redis.call('EXPIRE', stormKey(id), ttl)
  redis.call('EXPIRE', stormKey(id) .. ':incidents', ttl)
  if now - latest <= quiet then return id end
  redis.call('HSET', stormKey(id), 'overAtMs', whole(latest + quiet))
  redis.call('DEL', prefix .. ':storm')
  return nil
end
`;

/** Brings storms up to date; returns the one that is on, or ''. */
export const DETECT_STORM = `${DETECT}
return detect(now - window) or ''
`;

/**
 * Further ARGV: most investigations of a storm, time that a tie holds (s), incident, its priority as it is now, number of its own ties, then its own ties and
 * all in its reach. Returns its placement, `alone`, `leads`, `member <lead>` or `summary-only`. It stays, unless what is covered has become graver.
 */
export const PLACE_INCIDENT = `${DETECT}
local mostLeads, tieTtl, id, priority, owned = tonumber(ARGV[6]), ARGV[7], ARGV[8], tonumber(ARGV[9]), tonumber(ARGV[10])
local FIRST = 11
local function tieKey(at) return prefix .. ':tie:' .. ARGV[at] end
local function members(lead) return prefix .. ':members:' .. lead end

-- The storm that an incident belongs to, also when that is over by now: a worker may come to it late, or there was none when it came.
local function stormOf(it)
  local on = detect(now - window)
  local _, _, storm = placedOf(id)
  if storm or on or it.opened >= now - window then return storm or on end
  for _, from in ipairs({ it.opened - window, it.opened }) do
    detect(from)
    _, _, storm = placedOf(id)
    if storm then return storm end
  end
  return nil
end

-- The gravest and then the earliest that may lead it: of this storm, open, not less grave, not given up, and no member itself.
local function leadFor(storm)
  local started, best = tonumber(redis.call('HGET', stormKey(storm), 'startedAtMs')), nil
  for at = FIRST + owned, #ARGV do
    local lead = redis.call('GET', tieKey(at))
    local other = lead and lead ~= id and readIncident(lead)
    if other then
      local _, placedPriority = placedOf(lead)
      other.rank = tonumber(placedPriority or other.priority)
      local mayLead = other.open and other.stage ~= 'gave-up' and other.opened >= started and other.rank <= priority
      local isBetter = not best or other.rank < best.rank or other.rank == best.rank and other.opened < best.opened
      if mayLead and isBetter then best = other end
    end
  end
  return best
end

local it = readIncident(id)
local placement, placedPriority = placedOf(id)
if not it then return placement or 'alone' end
if placement then
  local isCovered = placement ~= 'alone' and placement ~= 'leads'
  if not isCovered or priority >= tonumber(placedPriority or 0) then return placement end
  local before = string.match(placement, '^member (%S+)$')
  if before then redis.call('SREM', members(before), id) end
end

placement = 'alone'
local storm = stormOf(it)
if storm then
  local lead = leadFor(storm)
  if lead then
    placement = 'member ' .. lead.id
    redis.call('SADD', members(lead.id), id)
    redis.call('EXPIRE', members(lead.id), ttl)
  elseif priority > 0 and redis.call('SCARD', stormKey(storm) .. ':leads') >= mostLeads then
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
redis.call('HSET', incidentKey(id), 'placement', placement, 'placedPriority', priority)
return placement
`;

/** The incident whose investigation covers another one, from that one's `placement`. */
export function leadOf(placement: string | null | undefined): string | undefined {
  return placement?.startsWith('member ') ? placement.slice('member '.length) : undefined;
}
