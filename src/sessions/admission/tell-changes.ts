/** Third part of the admission script: what that means for the incidents: seen before, flapping, grown, over. Notes the decisions and leaves the jobs in the outbox. */
export const TELL_CHANGES = `
local function counted(n, what) return n .. ' ' .. what .. (n == 1 and '' or 's') end
-- Once an alert flaps, its incident is over only when it stays quiet: that is said where it begins.
local function flaps(it)
  return it.flapping and ', it flaps: ' .. string.match(it.flapping, '^%d+') .. ' times' or ''
end
-- An alert that fired before: which incident follows which, and whether it flaps.
local function tellAgain(it, at)
  local there = known[at]
  if it == fresh then
    local times, since = startsWithin(there.starts, tonumber(claims[at + 2]) - DAY)
    it.follows = there.id
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
  if it ~= fresh then note(it, 'joined', 'its alert fires again' .. flaps(it)) end
end

-- Whether an incident has grown materially since it was last looked at. 'waiting': nobody has looked yet.
local function measure(it)
  local count = countFiring(it)
  local seen = it == fresh and {} or redis.call('HMGET', incidentKey(it.id), 'seenServices', 'seenRank', 'seenFiring')
  local services, rank, firing = seen[1] or '\\n', tonumber(seen[2] or '99'), tonumber(seen[3] or '0')
  local news, at, isPlaced = nil, 1, {}
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
  if it == fresh then
    local before = it.follows and '; fired before, in ' .. it.follows .. flaps(it) or ''
    return note(it, 'new', counted(added, 'alert') .. ' that no open incident knows' .. before)
  end
  if added > 0 then note(it, 'joined', counted(added, 'more alert') .. ' in a group with its own') end
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
  if left > 0 then return note(it, 'joined', 'an alert ' .. why .. ', ' .. left .. (left == 1 and ' still fires' or ' still fire')) end
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
`;
