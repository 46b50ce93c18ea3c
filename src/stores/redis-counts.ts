// Limits that processes count together in Redis. Each step is a script, which Redis runs at once: one round trip, and no other
// process comes in between.
import { createHash, randomBytes } from 'node:crypto';
import { sha256Base64Url } from '../lib/sha256.ts';
import type { CountedWindow, SharedCounts } from './ports.ts';

/** Of the keys of counts, which stay when entries are cleared. */
const COUNT_PREFIX = 'cloister:count:';
const WINDOW_BYTES = 9;
/** Numbers and texts in the answer for each key. */
const ANSWER_PARTS = 4;

export interface RedisScript {
  readonly text: string;
  /** By which Redis knows it once it has run. */
  readonly sha1: string;
}

/** Runs a script. Resolves with undefined where Redis does not answer in time, or answers with an error. */
export type RunRedisScript = (script: RedisScript, keys: string[], values: string[]) => Promise<unknown>;

const scriptOf = (text: string): RedisScript => ({
  text,
  sha1: createHash('sha1').update(text).digest('hex'),
});

/**
 * Values: how many are wanted, milliseconds of a window, 1 where they are held, the name of a window that begins; then of each
 * key its limit, the window that the process knows, what it has taken there, and what of that is unheard. A window of another
 * name has not heard of anything that the process took.
 */
const TAKE = scriptOf(`
local granted, states = tonumber(ARGV[1]), {}
for i, key in ipairs(KEYS) do
  local at = 4 * i
  local found = redis.call('HMGET', key, 'window', 'used', 'held')
  local told = tonumber(ARGV[at + 3])
  if found[1] == ARGV[at + 2] then told = tonumber(ARGV[at + 4]) end
  local used = tonumber(found[2] or 0) + told
  states[i] = { window = found[1] or ARGV[4], used = used, held = tonumber(found[3] or 0) }
  granted = math.min(granted, math.max(0, tonumber(ARGV[at + 1]) - used))
end
local answer = { granted }
for i, key in ipairs(KEYS) do
  local state = states[i]
  local used = state.used + granted
  local held = state.held + granted * tonumber(ARGV[3])
  local left = tonumber(ARGV[2])
  if used > 0 then
    redis.call('HSET', key, 'window', state.window, 'used', used, 'held', held)
    local ttl = redis.call('PTTL', key)
    if ttl > 0 then left = ttl else redis.call('PEXPIRE', key, left) end
  end
  for _, part in ipairs({ state.window, used, held, left }) do table.insert(answer, part) end
end
return answer
`);

/** Values: 1 where it is given back; then the window of each key. A window in which nothing is taken any more ends. */
const SETTLE = scriptOf(`
local back = ARGV[1] == '1' and -1 or 0
for i, key in ipairs(KEYS) do
  if redis.call('HGET', key, 'window') == ARGV[i + 1] then
    redis.call('HINCRBY', key, 'held', -1)
    if redis.call('HINCRBY', key, 'used', back) <= 0 then redis.call('DEL', key) end
  end
end
return 1
`);

const keyOf = (key: string) => COUNT_PREFIX + sha256Base64Url(key);

const flag = (isSet: boolean) => (isSet ? '1' : '0');

/** Counts by scripts that `run` brings to Redis. */
export function createRedisCounts(run: RunRedisScript): SharedCounts {
  return {
    async take(limits, { wanted, windowMs, isHeld }) {
      const begun = randomBytes(WINDOW_BYTES).toString('base64url');
      const known = limits.flatMap(({ limit, window, own, unheard }) => [limit, window, own, unheard]);
      const values = [wanted, windowMs, flag(isHeld), begun, ...known].map(String);
      const answer = await run(
        TAKE,
        limits.map(({ key }) => keyOf(key)),
        values,
      );
      if (!Array.isArray(answer)) return undefined;
      const windows = limits.map((_, index): CountedWindow => {
        const [window, used, held, endsInMs] = answer.slice(1 + index * ANSWER_PARTS);
        return { window: String(window), used: Number(used), held: Number(held), endsInMs: Number(endsInMs) };
      });
      return { granted: Number(answer[0]), windows };
    },
    async settle(windows, isGivenBack) {
      await run(
        SETTLE,
        windows.map(({ key }) => keyOf(key)),
        [flag(isGivenBack), ...windows.map(({ window }) => window)],
      );
    },
  };
}
