// Exchanges a client id and a secret for an access token. Guessing is slowed down: failed attempts are counted, and those of one
// address run one after the other.

import { isIP } from 'node:net';
import type { RateLimiterMemory } from 'rate-limiter-flexible';
import { AppError, isStoreUnavailable, type StoreError } from '../errors/errors.ts';
import type { MaybePromise } from '../lib/async/maybe-promise.ts';
import { isClientId } from '../lib/client-names.ts';
import { lazyPackage } from '../lib/files/lazy-package.ts';
import type { TokenResponse } from './access-tokens.ts';
import { invalidCredentialsError } from './auth-errors.ts';
import { MAX_SECRET_LENGTH } from './clients/client.ts';
import type { ClientStatus } from './clients/client-record.ts';
import type { ClientService } from './clients/client-service.ts';

interface LoginDeps {
  readonly clients: Pick<ClientService, 'verifySecret' | 'hasAny'>;
  readonly limiter: LoginLimiter;
  readonly tokens: { issue(status: ClientStatus): TokenResponse };
}

/** The unvalidated input. */
interface Credentials {
  readonly clientId: unknown;
  readonly secret: unknown;
  /** Network address of the client. */
  readonly address: string;
  /** Set where the request has no credentials: the error for it, which is no failed attempt. */
  readonly missing?: AppError | undefined;
}

export type Login = ReturnType<typeof createLogin>;

/** Creates the login function. It rejects with INVALID_CREDENTIALS, `missing`, RATE_LIMITED, or the store's StoreError. */
export function createLogin({ clients, limiter, tokens }: LoginDeps) {
  return async ({ clientId, secret, address, missing }: Credentials): Promise<TokenResponse> => {
    const known = isClientId(clientId) ? clientId : '';
    const status = await limiter.run({ address, clientId: known }, async () => {
      const isPlausible =
        missing === undefined &&
        known !== '' &&
        typeof secret === 'string' &&
        secret.length <= MAX_SECRET_LENGTH;
      if (isPlausible) return clients.verifySecret(known, secret);
      // While the database is away, no attempt is rejected as wrong: this rejects as the lookup would.
      await clients.hasAny();
      if (missing !== undefined) throw missing;
      return undefined;
    });
    if (status === undefined) throw invalidCredentialsError();
    return tokens.issue(status);
  };
}

/** It brings limiters for a dozen databases. */
const rateLimiters = lazyPackage<typeof import('rate-limiter-flexible')>('rate-limiter-flexible');

const MAX_COUNTED_KEYS = 100_000;
const MAX_WAITING = 1000;

/** Failures allowed within `windowSeconds`, from the first of them on. */
export interface LoginLimits {
  /** Of one client id from one address. */
  readonly perClient: number;
  /** Of one address. */
  readonly perAddress: number;
  readonly windowSeconds: number;
}

/** Origin of an attempt. IPv6 addresses count by their /64. */
interface Attempt {
  readonly address: string;
  readonly clientId: string;
}

type LoginLimiter = ReturnType<typeof createLoginLimiter>;

/** What an attempt counts for: the client id at the address, and the address. */
interface AttemptKeys {
  readonly client: string;
  readonly address: string;
}

/** An attempt that may be made. */
export interface CountedAttempt {
  /** Call it once, when the attempt has ended. */
  end(hasFailed: boolean): MaybePromise<void>;
}

/** Counts failed attempts. Those of one address must be begun and ended one after the other. */
export interface FailureCounts {
  /** Begins an attempt; or the milliseconds until the next one may be made. Never rejects. */
  begin(keys: AttemptKeys): Promise<CountedAttempt | number>;
}

/** Counts failures within a window by key. Above the maximum of keys, the one that failed least recently is dropped. */
function createFailures(points: () => number, duration: number) {
  let created: RateLimiterMemory | undefined;
  const limiter = () => {
    created ??= new (rateLimiters().RateLimiterMemory)({ points: points(), duration });
    return created;
  };
  // In the order of the last failure.
  const keys = new Set<string>();
  const remember = (key: string) => {
    keys.delete(key);
    keys.add(key);
    if (keys.size <= MAX_COUNTED_KEYS) return;
    const [oldest = ''] = keys;
    keys.delete(oldest);
    void limiter().delete(oldest);
  };
  return {
    /** Milliseconds until the next attempt may be made; 0 when it may be made now. */
    async wait(key: string): Promise<number> {
      const counted = await limiter().get(key);
      return counted !== null && counted.consumedPoints >= points() ? Math.max(0, counted.msBeforeNext) : 0;
    },
    async add(key: string): Promise<void> {
      remember(key);
      await limiter().penalty(key);
    },
  };
}

/** Counts the failures of this process. `shareOf`: the part of a limit that it may use up; all of it unless given. */
export function createFailureCounts(
  { perClient, perAddress, windowSeconds }: LoginLimits,
  shareOf: (limit: number) => number = (limit) => limit,
): FailureCounts {
  const clients = createFailures(() => shareOf(perClient), windowSeconds);
  const addresses = createFailures(() => shareOf(perAddress), windowSeconds);
  return {
    async begin({ client, address }) {
      const wait = Math.max(await clients.wait(client), await addresses.wait(address));
      if (wait > 0) return wait;
      return {
        async end(hasFailed) {
          if (hasFailed) await Promise.all([clients.add(client), addresses.add(address)]);
        },
      };
    },
  };
}

const rateLimited = (milliseconds: number) =>
  new AppError('RATE_LIMITED', { retryAfter: Math.max(1, Math.ceil(milliseconds / 1000)) });

interface Queue {
  tail: Promise<void>;
  waiting: number;
  /** Shared by the attempts that wait now: the error of the database once one of them met it. */
  outage: { error?: StoreError };
}

/** `failures` counts by `limits`: those of this process unless given. */
export function createLoginLimiter(
  limits: LoginLimits,
  failures: FailureCounts = createFailureCounts(limits),
) {
  const queues = new Map<string, Queue>();

  /** Runs attempts one at a time, so that each sees the failures of those before it, however many arrive at once. */
  const runExclusive = async <T>(group: string, task: () => Promise<T>): Promise<T> => {
    const queue: Queue = queues.get(group) ?? { tail: Promise.resolve(), waiting: 0, outage: {} };
    if (queue.waiting >= MAX_WAITING) throw rateLimited(0);
    queues.set(group, queue);
    queue.waiting += 1;
    const { outage } = queue;
    const result = queue.tail.then(() => {
      if (outage.error !== undefined) throw outage.error;
      return task();
    });
    queue.tail = result.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await result;
    } catch (error) {
      // The attempts behind this one fail at once: each would wait as long for the same error.
      if (isStoreUnavailable(error) && outage === queue.outage) {
        outage.error = error;
        queue.outage = {};
      }
      throw error;
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) queues.delete(group);
    }
  };

  return {
    /**
     * Runs `attempt`. A result of `undefined` counts as a failure, a rejection does not. After too many failures it rejects
     * with RATE_LIMITED without running the attempt. Successes are never counted.
     */
    run<T>({ address, clientId }: Attempt, attempt: () => Promise<T | undefined>): Promise<T | undefined> {
      const group = addressGroup(address);
      const pair = `${group} ${clientId}`;
      return runExclusive(group, async () => {
        const counted = await failures.begin({ client: pair, address: group });
        if (typeof counted === 'number') throw rateLimited(counted);
        let hasFailed = false;
        try {
          const result = await attempt();
          hasFailed = result === undefined;
          return result;
        } finally {
          await counted.end(hasFailed);
        }
      });
    },
  };
}

const IPV6_GROUPS = 8;
const MAPPED_PREFIX = '0:0:0:0:0:ffff';

/** The key of an address: an IPv4 address itself, the /64 of an IPv6 address. Other text is its own key. */
export function addressGroup(address: string): string {
  const [bare = ''] = address.split('%', 1);
  if (isIP(bare) !== 6) return bare;
  const all = expand(bare);
  if (all.slice(0, 6).join(':') === MAPPED_PREFIX) return dotted(all.slice(6));
  return `${all.slice(0, 4).join(':')}::/64`;
}

/** The eight groups of a valid IPv6 address, in lower case without leading zeros. */
function expand(address: string): readonly string[] {
  const [head = '', tail = ''] = address.split('::');
  const before = parts(head);
  const after = parts(tail);
  return [...before, ...Array<string>(IPV6_GROUPS - before.length - after.length).fill('0'), ...after];
}

function parts(text: string): readonly string[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [hex(Number.parseInt(part, 16))];
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
    return [hex(a * 256 + b), hex(c * 256 + d)];
  });
}

const hex = (value: number) => value.toString(16);

const dotted = (groups: readonly string[]) =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((value) => [value >> 8, value & 255])
    .join('.');
