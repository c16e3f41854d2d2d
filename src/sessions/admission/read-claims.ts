/**
 * First part of the admission script: what is known of the alerts of a notification, and what each claim therefore is. What changes in an incident is gathered
 * and written by one command.
 */
export const READ_CLAIMS = `
local window, cap = tonumber(ARGV[3]), tonumber(ARGV[4])
local flapTimes, flapWindow, quiet = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local DELIVERY_TTL, LATEST_STARTS, DAY = 259200, 20, 86400000
-- In place of an incident: of an end of which nobody knows the beginning.
local NOBODY = '-'
-- Times to live are far longer than this: often enough to begin them anew.
local TOUCH = 3600000
-- Lua hands a command no more than some thousand arguments.
local MOST_ARGUMENTS = 1000

-- The notification that is looked at: four places a claim hold key, status, start (ms) and alert as JSON or ''. And what has become of it so far.
local WIDTH = 4
local claims, header, truncated, delivery, facts
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
  local status = claims[at + 1]
  return status == 'F' or status == 'f'
end
local function readKnown()
  for from = 1, #claims, MOST_ARGUMENTS * WIDTH do
    local keys = {}
    for at = from, math.min(#claims, from + MOST_ARGUMENTS * WIDTH - 1), WIDTH do keys[#keys + 1] = alertKey(claims[at]) end
    for n, text in ipairs(redis.call('MGET', unpack(keys))) do
      local it, at = readOccurrence(text), from + (n - 1) * WIDTH
      if it and it.id == NOBODY then
        -- The end came first: what began before it is over.
        if isFiring(at) and tonumber(claims[at + 2]) <= it.start then claim[at] = 'old' end
      elseif it and look(it.id) then known[at] = it end
    end
  end
end

-- What a claim is: 'same' occurrence as the known one, an 'old' one, or the alert firing 'again'.
local function judge(at, it)
  local status, start = claims[at + 1], tonumber(claims[at + 2])
  if status == 'r' or status == 'R' and start >= it.start or status == 'F' and start == it.start or status == 'f' and it.open then return 'same' end
  if status == 'f' or start > it.start then return 'again' end
  -- A clock that was years ahead must not keep out whatever begins before that time.
  if status == 'F' and not it.open and it.start > now + DAY then return 'again' end
  if status ~= 'F' or not it.open or string.find(',' .. it.starts .. ',', ',' .. claims[at + 2] .. ',', 1, true) then return 'old' end
  -- The sender has learned of an earlier start: the occurrence is the same.
  it.starts = string.gsub(it.starts, '^[^,]+', claims[at + 2])
  it.written = ''
  return 'same'
end
local function judgeAll()
  for at = 1, #claims, WIDTH do
    local it = known[at]
    if it then
      local incident = incidents[it.id]
      claim[at] = judge(at, it)
      if it.written ~= hour then writeOccurrence(claims[at], it.id, it.open and 'f' or 'r', it.starts) end
      if claim[at] == 'again' then
        it.starts = withStart(claims[at + 2], it.starts)
        it.times, it.since = startsWithin(it.starts, tonumber(claims[at + 2]) - flapWindow)
        if it.times >= flapTimes and incident.open then target[at] = incident end
      elseif incident.open and (not home or incident.opened > home.opened) then
        home = incident
      end
    end
  end
end
`;
