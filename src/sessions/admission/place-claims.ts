/** Second part of the admission script: each alert gets its incident, an open one or a new one, or ends in the one it has. */
export const PLACE_CLAIMS = `
-- A firing alert that has no place needs one.
local function needsHome(at)
  return not target[at] and (claim[at] == 'again' or not claim[at] and isFiring(at))
end
local function openIncident(id, at)
  decision = 'new'
  local rank = tonumber(string.match(facts, '^[%d.]+') or '0')
  local priority = whole(rank * 2)
  home = { id = id, open = true, opened = now, priority = priority, grown = '0', taken = '0', truncated = truncated, stage = 'waiting', kept = 0,
    startsAt = tonumber(claims[at + 2]), count = 0, decisions = 0, touched = 0, fires = 0, joining = {},
    fields = { 'header', header, 'state', 'firing', 'openedAtMs', nowText, 'truncatedAlerts', truncated, 'priority', priority, 'stage', 'waiting' } }
  fresh, incidents[id], order[#order + 1] = home, home, id
  redis.call('ZADD', outbox, nowText, investigateJob(home))
  redis.call('ZADD', prefix .. ':incidents', nowText, id)
end
local function findHome()
  for at = 1, #claims, WIDTH do
    if needsHome(at) then
      decision = 'joined'
      if not home or home.opened < now - window then
        local id = 'inc_' .. string.sub(redis.sha1hex(claims[at] .. ' ' .. claims[at + 2]), 1, 24)
        home = look(id)
        if not home then openIncident(id, at) end
      end
      return
    end
  end
end

local function keep(it, at)
  if claims[at + 3] ~= '' then set(it, 'alert:' .. claims[at], claims[at + 3]) end
end
local function keepAgain(it, at)
  if redis.call('HEXISTS', incidentKey(it.id), 'alert:' .. claims[at]) == 1 then keep(it, at) end
end
local function put(at)
  local there, it = known[at], target[at] or home
  writeOccurrence(claims[at], it.id, isFiring(at) and 'f' or 'r', there and there.starts or claims[at + 2])
  if there and there.open and there.id ~= it.id and firesNoLonger(incidents[there.id], claims[at]) then
    ended[there.id] = 'fires again in ' .. it.id
  end
  if isFiring(at) then fires(it, claims[at]) end
  placed[#placed + 1] = at
  if claim[at] == 'again' then again[it.id] = again[it.id] or at end
  if there and there.id == it.id then return keepAgain(it, at) end
  added = added + 1
  if isFiring(at) then it.startsAt = math.min(it.startsAt, tonumber(claims[at + 2])) end
  if it.kept < cap and claims[at + 3] ~= '' then
    it.kept = it.kept + 1
    keep(it, at)
  end
end
local function resolve(at)
  local it = known[at]
  writeOccurrence(claims[at], it.id, 'r', it.starts)
  if firesNoLonger(incidents[it.id], claims[at]) then
    ended[it.id] = 'resolved'
    keepAgain(incidents[it.id], at)
  end
end
local function placeAll()
  for at = 1, #claims, WIDTH do
    if claim[at] == 'again' or not claim[at] and home then
      put(at)
    elseif claim[at] == 'same' and known[at].open and not isFiring(at) then
      resolve(at)
    elseif not known[at] and claims[at + 1] == 'r' then
      redis.call('SET', alertKey(claims[at]), NOBODY .. ' r ' .. claims[at + 2] .. ' ' .. hour, 'EX', DELIVERY_TTL)
    end
  end
  if #placed > 0 and decision == 'repeat' then decision = 'joined' end
  if added > 0 then
    set(home, 'alertCount', home.count + added)
    set(home, 'kept', home.kept)
    set(home, 'startsAtMs', whole(home.startsAt))
  end
  if home and home.truncated ~= truncated then set(home, 'truncatedAlerts', truncated) end
end
`;
