/**
 * The rules of a chain, each one atomic. A chain is a hash: `<content>|<field>` of its contents, `@<field>` of itself. At most one of its
 * contents is claimed at a time. All times are Redis's own, so that clocks of workers do not matter; where Redis's clock has jumped
 * back, no wait is longer than it may be at most.
 *
 * KEYS[1] chain, KEYS[2] backlog of the destination, KEYS[3] subjects of which it gave something up; ARGV[1] subject, ARGV[2] seconds to keep.
 */
const PRELUDE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local fields = redis.call('HGETALL', KEYS[1])
local chain, names = {}, {}
for i = 1, #fields, 2 do
  chain[fields[i]] = fields[i + 1]
  local name = string.match(fields[i], '^(.*)|rank$')
  if name then names[#names + 1] = name end
end
local function get(name, field) return chain[name .. '|' .. field] end
local function number(name, field) return tonumber(get(name, field) or 0) end
local function put(name, field, value)
  chain[name .. '|' .. field] = value
  redis.call('HSET', KEYS[1], name .. '|' .. field, value)
end
local function put_own(field, value)
  chain['@' .. field] = value
  redis.call('HSET', KEYS[1], '@' .. field, value)
end
local function drop_own(field)
  chain['@' .. field] = nil
  redis.call('HDEL', KEYS[1], '@' .. field)
end
local function settle(name, state, reason)
  put(name, 'state', state)
  put(name, 'reason', reason)
  put(name, 'updatedAtMs', now)
  redis.call('ZREM', KEYS[2], ARGV[1] .. '|' .. name)
  if state ~= 'gave-up' then return end
  redis.call('ZADD', KEYS[3], now, ARGV[1])
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - ARGV[2] * 1000)
end
local function await(name)
  put(name, 'state', 'pending')
  put(name, 'updatedAtMs', now)
  redis.call('ZADD', KEYS[2], now, ARGV[1] .. '|' .. name)
end
local function is(name, kind) return string.sub(name, 1, #kind) == kind end
-- An end that was passed over for want of something to follow. True when it is to be told after all.
local function await_end()
  if chain['@isOver'] or get('resolved', 'state') ~= 'superseded' then return false end
  await('resolved')
  return true
end
table.sort(names, function(a, b) return number(a, 'rank') < number(b, 'rank') end)
redis.call('EXPIRE', KEYS[1], ARGV[2])
`;

/**
 * KEYS[4] names of destinations; ARGV[3] content, ARGV[4] rank or '' for a place at the end, ARGV[5] destination, ARGV[6] ms for which a new chain
 * tells nothing. Does nothing for a content that is in the chain.
 */
export const OPEN = `${PRELUDE}
local name = ARGV[3]
if get(name, 'rank') then return 0 end
local rank = ARGV[4]
if rank == '' then
  -- Where nothing is told yet, a notice follows the report that is to come.
  local last = names[#names]
  rank = (last and number(last, 'rank') or 2) + 0.001
end
if #names == 0 and tonumber(ARGV[6]) > 0 then put_own('dueMs', now + ARGV[6]) end
put(name, 'rank', rank)
await(name)
redis.call('SADD', KEYS[4], ARGV[5])
if name == 'resolved' and tonumber(chain['@dueMs'] or 0) > now then
  for _, other in ipairs(names) do
    if get(other, 'state') == 'pending' then settle(other, 'superseded', 'resolved before it was to be told') end
  end
  put_own('isOver', 1)
end
if chain['@isOver'] then settle(name, 'superseded', 'resolved before it was to be told')
elseif name == 'report' then await_end() end
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
`;

/**
 * Takes what is to be told next. ARGV[3] token, ARGV[4] ms of a claim, ARGV[5] most ms to wait for anything, ARGV[6] ms for which the end, or a notice where
 * nothing was told yet, waits for a report. An unconfirmed claim that has run out means that its owner died between claim and confirm: nobody knows whether it posted, so it comes first.
 * Otherwise what has surely posted nothing gives way to what is newer.
 */
export const CLAIM = `${PRELUDE}
local claim_ms, longest_ms = tonumber(ARGV[4]), tonumber(ARGV[5])
if chain['@claim'] then
  local left = tonumber(chain['@untilMs']) - now
  if left > claim_ms then
    left = claim_ms
    put_own('untilMs', now + claim_ms)
  end
  if left > 0 then return {'held', left} end
  local dead = chain['@claimed']
  -- What only waited for its turn did not end its worker.
  if not chain['@rests'] then put(dead, 'crashes', number(dead, 'crashes') + 1) end
  put(dead, 'mayHavePosted', 1)
  put(dead, 'state', 'pending')
  drop_own('claim')
end

local told, handle, has_report, pending = nil, '', false, {}
for _, name in ipairs(names) do
  if get(name, 'state') == 'delivered' then
    -- A notice may have been told before the report: nothing gives way to it.
    if not is(name, 'notice-') then told = name end
    if (get(name, 'handle') or '') ~= '' then handle = get(name, 'handle') end
  end
  if name == 'report' or is(name, 'update-') then has_report = true end
end
for _, name in ipairs(names) do
  if get(name, 'state') == 'pending' then
    if told and number(name, 'rank') < number(told, 'rank') then
      settle(name, 'superseded', told .. ' was told before')
    else
      pending[#pending + 1] = name
    end
  end
end

local function replaces(newer, older)
  if is(newer, 'notice-') or is(older, 'notice-') then return false end
  -- An update may stand for a report that is not told yet.
  if newer == 'resolved' then return told ~= nil and told ~= 'first-look' and is(older, 'update-') end
  return true
end
local at = 1
while pending[at + 1] and number(pending[at], 'mayHavePosted') == 0 and replaces(pending[at + 1], pending[at]) do
  settle(pending[at], 'superseded', pending[at + 1] .. ' is told instead')
  local first = get(pending[at], 'firstAtMs')
  if first and not get(pending[at + 1], 'firstAtMs') then put(pending[at + 1], 'firstAtMs', first) end
  at = at + 1
end
-- An end follows a report, or the first look where the report could not be told; a notice follows anything.
local function follows_nothing(name)
  if name == 'resolved' then return not told or (told == 'first-look' and not has_report) end
  return is(name, 'notice-') and not told
end
local name = pending[at]
while name and follows_nothing(name) and number(name, 'mayHavePosted') == 0 do
  if not has_report then
    local left = number(name, 'updatedAtMs') + ARGV[6] - now
    if left > 0 then return {'wait', math.min(left, ARGV[6])} end
  end
  settle(name, 'superseded', 'nothing was told here that it could follow')
  at = at + 1
  name = pending[at]
end
if not name then return {'idle'} end

local due = math.max(tonumber(chain['@notBeforeMs'] or 0), tonumber(chain['@dueMs'] or 0)) - now
if due > 0 and due <= longest_ms then return {'wait', due} end
if not get(name, 'firstAtMs') then put(name, 'firstAtMs', now) end
put(name, 'state', 'posting')
put(name, 'updatedAtMs', now)
put(name, 'attempts', number(name, 'attempts') + 1)
put_own('claim', ARGV[3])
put_own('claimed', name)
put_own('untilMs', now + claim_ms)
drop_own('rests')
return {'claimed', name, number(name, 'attempts'), number(name, 'crashes'), number(name, 'mayHavePosted'),
  math.max(0, now - number(name, 'firstAtMs')), handle, told or ''}
`;

/** ARGV[3] token, ARGV[4] ms of a claim. 0 when the claim is somebody else's by now. */
export const RENEW = `${PRELUDE}
if chain['@claim'] ~= ARGV[3] then return 0 end
put_own('untilMs', now + ARGV[4])
return 1
`;

/** ARGV[3] token, ARGV[4] 1 while its owner waits for a turn. 0 when the claim is somebody else's by now. */
export const REST = `${PRELUDE}
if chain['@claim'] ~= ARGV[3] then return 0 end
if ARGV[4] == '1' then put_own('rests', 1) else drop_own('rests') end
return 1
`;

/** ARGV[3] token, ARGV[4] state, ARGV[5] reason, ARGV[6] handle, ARGV[7] whether it may have posted, ARGV[8] ms until the next attempt. Only the owner of the claim settles. */
export const SETTLE = `${PRELUDE}
if chain['@claim'] ~= ARGV[3] then return 0 end
local name = chain['@claimed']
if ARGV[4] == 'pending' then
  put(name, 'state', 'pending')
  put(name, 'reason', ARGV[5])
  put(name, 'updatedAtMs', now)
  put_own('notBeforeMs', now + ARGV[8])
else
  settle(name, ARGV[4], ARGV[5])
  drop_own('notBeforeMs')
end
put(name, 'handle', ARGV[6])
put(name, 'mayHavePosted', ARGV[7])
drop_own('claim')
return 1
`;

/** Back to the beginning with what was given up and is newer than all that was told, and with the end that had nothing to follow. Returns its names, and how often this was asked for. */
export const REOPEN = `${PRELUDE}
local again = {}
for _, name in ipairs(names) do
  if get(name, 'state') == 'delivered' then again = {} end
  if get(name, 'state') == 'gave-up' then again[#again + 1] = name end
end
for _, name in ipairs(again) do
  await(name)
  put(name, 'crashes', 0)
  redis.call('HDEL', KEYS[1], name .. '|firstAtMs')
end
if #again > 0 and await_end() then again[#again + 1] = 'resolved' end
drop_own('notBeforeMs')
return {redis.call('HINCRBY', KEYS[1], '@retries', 1), unpack(again)}
`;
