import { type Script, scriptOf } from '@almanac/redis';

/** A request counts for this long after it was accepted. */
export const windowMs = 60_000;

/** A gateway spends its reserve within this time. Afterwards the tokens are void, and returned with its next call. */
export const reserveMs = 10_000;

/** Milliseconds by the clock of Redis, as a Lua expression. */
const redisClock =
  "(function() local t = redis.call('TIME') return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000) end)()";

/**
 * One list per account, so that one key decides. Its first element is the state: the tokens that are counted as spent
 * (`counted`), the reserve of each gateway with its time (`leases`), and a random name of this list (`epoch`). Every
 * other element is `<ms> <tokens>`: tokens that were spent then at the latest, oldest first.
 *
 * A call ends the gateway's previous lease: what it did not return counts as spent now. Then it grants a token for each
 * waiting request, which counts as spent now, and a reserve. All reserves together are at most `reserve`.
 *
 * If the epoch differs from the gateway's, Redis has lost the list. What the gateway spent in the window counts again.
 */
export const leaseScriptOf = (clock = redisClock): Script =>
  scriptOf(`
local key, gateway, epoch = KEYS[1], ARGV[1], ARGV[2]
local limit, reserve, waiting = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local unspent, held, unlisted = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local now = ${clock}
local text = redis.call('LPOP', key)
local state = text and cjson.decode(text) or { epoch = ARGV[11], counted = 0, leases = {} }
local oldest
while true do
  local first = redis.call('LINDEX', key, 0)
  if not first then break end
  local at, tokens = string.match(first, '^(%d+) (%d+)$')
  oldest = tonumber(at)
  if oldest > now - ${windowMs} then break end
  oldest = nil
  redis.call('LPOP', key)
  state.counted = state.counted - tonumber(tokens)
end
local function spend(tokens)
  if tokens <= 0 then return end
  redis.call('RPUSH', key, string.format('%d %d', now, tokens))
  state.counted = state.counted + tokens
  oldest = oldest or now
end
local own = state.leases[gateway]
if own then spend(own[1] - unspent) end
spend(state.epoch == epoch and unlisted or held)
state.leases[gateway] = nil
local reserved, holders = 0, 1
for id, lease in pairs(state.leases) do
  if lease[2] <= now - ${windowMs + reserveMs} then
    state.leases[id] = nil
  else
    reserved = reserved + lease[1]
    if lease[2] > now - ${reserveMs} then holders = holders + 1 end
  end
end
local free = limit - state.counted - reserved
local extra = math.max(0, math.min(math.floor(reserve / holders), reserve - reserved))
local granted = math.max(0, math.min(free, waiting + extra))
spend(math.min(granted, waiting))
state.leases[gateway] = { math.max(0, granted - waiting), now }
free = math.max(0, free - granted)
redis.call('LPUSH', key, cjson.encode(state))
redis.call('PEXPIRE', key, ${windowMs + reserveMs})
if granted > 0 and holders > 1 then
  redis.call('PUBLISH', ARGV[9], string.format('%s %d %s', ARGV[10], free, gateway))
end
return { granted, free, oldest and oldest + ${windowMs} - now or ${windowMs}, holders, state.epoch }
`);

/**
 * Writes the heartbeat of a gateway and returns the names of those with one in the last 15 s. A new one is announced,
 * so that the others count it before its requests.
 */
export const presenceScript = scriptOf(`
local time = redis.call('TIME')
if redis.call('ZADD', KEYS[1], time[1], ARGV[1]) == 1 then redis.call('PUBLISH', ARGV[2], 'joined') end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', time[1] - 15)
return redis.call('ZRANGE', KEYS[1], 0, -1)
`);
