// The response cache in Redis. A server that is away, slow or full costs the entry, never the answer.
import { createHash } from 'node:crypto';
import { type ChunkedText, textByteLength } from '../../lib/chunked-text.ts';
import type { CacheStore } from '../ports.ts';

/** Every key of ours begins so: nothing else in the database is ever touched. */
const PREFIX = 'cloister:cache:';
const SCAN_COUNT = 500;
const CONNECT_TIMEOUT_MS = 2000;
const MAX_RECONNECT_MS = 5000;
/** Commands that wait for their turn or an answer; more are not sent. */
const MAX_QUEUED_COMMANDS = 10_000;
/** After a command that took too long, nothing is asked for so long. */
const PAUSE_AFTER_TIMEOUT_MS = 1000;

export interface RedisCacheOptions {
  /** `redis://` or `rediss://`, with credentials and number of the database where needed. */
  readonly url: string;
  /** Bytes up to which one entry is kept. The bound of all together is Redis's own `maxmemory`. */
  readonly maxEntryBytes: number;
  /** Milliseconds that one command may take. */
  readonly timeoutMs: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called when the connection fails, at each attempt. The message of the error may hold the address. */
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

/** Resolves with undefined once `timeoutMs` have passed; a late failure of `work` is dropped with its value. */
async function withTimeout<T>(
  work: Promise<T>,
  timeoutMs: number,
): Promise<{ readonly value: T } | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, timeoutMs, undefined);
  try {
    return await Promise.race([work.then((value) => ({ value })), promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Opens the cache. Connects in the background, again and again while Redis is away. */
export async function openRedisCache(options: RedisCacheOptions): Promise<CacheStore> {
  const { maxEntryBytes, timeoutMs, now } = options;
  const client = await createRedisClient(options);
  const connected = client.connect().catch(() => undefined);
  let pausedUntil = 0;
  // Part of every key, so that what `clear` cannot remove while Redis is away is not found afterwards either.
  let clears = 0;
  const keyOf = (key: string) => {
    return PREFIX + createHash('sha256').update(`${clears}\n${key}`).digest('base64url');
  };

  /** The answer of one command, undefined where there is none in time. */
  const ask = async <T>(command: () => Promise<T>): Promise<T | undefined> => {
    if (!client.isReady || now() < pausedUntil) return undefined;
    try {
      const answer = await withTimeout(command(), timeoutMs);
      if (answer === undefined) pausedUntil = now() + PAUSE_AFTER_TIMEOUT_MS;
      return answer?.value;
    } catch {
      // The connection broke, or Redis refused: `onError` tells of the first, and both cost the entry only.
      return undefined;
    }
  };

  return {
    async get(key) {
      return (await ask(() => client.get(keyOf(key)))) ?? undefined;
    },
    async set(key, value: ChunkedText, ttl) {
      if (ttl < 1 || textByteLength(value) > maxEntryBytes) return;
      const text = typeof value === 'string' ? value : value.join('');
      await ask(() => client.set(keyOf(key), text, { expiration: { type: 'PX', value: Math.ceil(ttl) } }));
    },
    async clear() {
      clears += 1;
      // What takes longer goes on in the background.
      await ask(() => removeAll(client));
    },
    async close() {
      client.destroy();
      await connected;
    },
  };
}
