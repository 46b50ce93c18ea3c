// Response cache in Redis. An unavailable, slow or full Redis loses entries and never fails a request.
import { randomBytes } from 'node:crypto';
import { settleWithin } from '../lib/async/timeout.ts';
import { type ChunkedText, textByteLength } from '../lib/chunked-text.ts';
import { sha256Base64Url } from '../lib/sha256.ts';
import type { CacheMarks, CacheStore } from './ports.ts';
import { createRedisCounts, type RedisScript } from './redis-counts.ts';

/** Prefix of all keys: other keys in the database are never touched. */
const PREFIX = 'cloister:cache:';
/** Of the marks of namespaces, which stay when entries are cleared. */
const MARK_PREFIX = 'cloister:mark:';
const MARK_BYTES = 12;
const SCAN_COUNT = 500;
const CONNECT_TIMEOUT_MS = 2000;
const MAX_RECONNECT_MS = 5000;
/** Most commands that wait to be sent or answered; further ones are dropped. */
const MAX_QUEUED_COMMANDS = 10_000;
/** After a timeout no command is sent for this long. */
const PAUSE_AFTER_TIMEOUT_MS = 1000;

export interface RedisCacheOptions {
  /** `redis://` or `rediss://`, with credentials and number of the database where needed. */
  readonly url: string;
  /** Longer entries are not stored. Redis's own `maxmemory` limits all entries together. */
  readonly maxEntryBytes: number;
  /** Milliseconds that one command may take. */
  readonly timeoutMs: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called for each failed connection attempt. The message of the error may contain the address. */
  readonly onError: (error: Error) => void;
}

async function createRedisClient({ url, onError }: Pick<RedisCacheOptions, 'url' | 'onError'>) {
  const { createClient } = await import('@redis/client');
  const client = createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_QUEUED_COMMANDS,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: (retries) => Math.min(100 * 2 ** retries, MAX_RECONNECT_MS),
    },
  });
  client.on('error', onError);
  return client;
}

async function removeAll(client: Awaited<ReturnType<typeof createRedisClient>>): Promise<void> {
  for await (const keys of client.scanIterator({ MATCH: `${PREFIX}*`, COUNT: SCAN_COUNT })) {
    if (keys.length > 0) await client.unlink(keys);
  }
}

/** Opens the cache. Connects in the background and reconnects whenever the connection is lost. */
export async function openRedisCache(options: RedisCacheOptions): Promise<CacheStore> {
  const { maxEntryBytes, timeoutMs, now } = options;
  const client = await createRedisClient(options);
  const connected = client.connect().catch(() => undefined);
  let pausedUntil = 0;
  // Part of every key: entries that `clear` could not remove from an unavailable Redis are not found later either.
  let clears = 0;
  const keyOf = (key: string) => {
    return PREFIX + sha256Base64Url(`${clears}\n${key}`);
  };

  /** Sends a command. Returns undefined if there is no answer in time. */
  const send = async <T>(command: () => Promise<T>): Promise<T | undefined> => {
    if (!client.isReady || now() < pausedUntil) return undefined;
    try {
      const answer = await settleWithin(command(), timeoutMs);
      if (answer === undefined) pausedUntil = now() + PAUSE_AFTER_TIMEOUT_MS;
      return answer?.value;
    } catch {
      // A lost connection, which `onError` reports, or an error of Redis: the entry is lost.
      return undefined;
    }
  };

  /** Without its text, where Redis knows it. */
  const runScript = async (
    { text, sha1 }: RedisScript,
    keys: string[],
    values: string[],
  ): Promise<unknown> => {
    const options = { keys, arguments: values };
    try {
      return await client.evalSha(sha1, options);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return client.eval(text, options);
    }
  };
  const counts = createRedisCounts(async (script, keys, values) => {
    // A process that has just started is about to be connected.
    if (!client.isReady && now() >= pausedUntil) await settleWithin(connected, timeoutMs);
    return send(() => runScript(script, keys, values));
  });

  const markOf = (name: string) => MARK_PREFIX + sha256Base64Url(name);
  /** None is ever used again: one that Redis has evicted must not come back with what was kept under it. */
  const newMark = () => randomBytes(MARK_BYTES).toString('base64url');
  const marks: CacheMarks = {
    async read(names) {
      const keys = names.map(markOf);
      const found = await send(() => client.mGet(keys));
      if (found === undefined) return undefined;
      if (found.every((mark) => mark !== null)) return found;
      const made = await send(() =>
        Promise.all(keys.map((key) => client.set(key, newMark(), { condition: 'NX' }))),
      );
      const complete = made === undefined ? undefined : await send(() => client.mGet(keys));
      return complete?.every((mark) => mark !== null) ? complete : undefined;
    },
    async replace(names) {
      const set = await send(() => Promise.all(names.map((name) => client.set(markOf(name), newMark()))));
      return set !== undefined;
    },
  };

  return {
    marks,
    counts,
    async get(key) {
      return (await send(() => client.get(keyOf(key)))) ?? undefined;
    },
    async set(key, value: ChunkedText, ttl) {
      if (ttl < 1 || textByteLength(value) > maxEntryBytes) return;
      const text = typeof value === 'string' ? value : value.join('');
      await send(() => client.set(keyOf(key), text, { expiration: { type: 'PX', value: Math.ceil(ttl) } }));
    },
    async clear() {
      clears += 1;
      // After the timeout the removal continues in the background.
      await send(() => removeAll(client));
    },
    isReachable: () => client.isReady && now() >= pausedUntil,
    async close() {
      client.destroy();
      await connected;
    },
  };
}
