// Slows guessing of secrets: counts failed attempts, and takes the attempts of one address one after the other.
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { AppError, isStoreUnavailable, type StoreError } from '../errors.ts';
import { addressGroup } from './address-group.ts';

const COUNTED_MOST = 100_000;
const WAITING_MOST = 1000;

/** Failures allowed within `windowSeconds`, from the first of them on. */
export interface LoginLimits {
  /** Of one client id from one address. */
  readonly perClient: number;
  /** Of one address. */
  readonly perAddress: number;
  readonly windowSeconds: number;
}

/** Who tries. Of IPv6 addresses the /64 counts. */
interface Attempt {
  readonly address: string;
  readonly clientId: string;
}

export type LoginLimiter = ReturnType<typeof createLoginLimiter>;

/** Failures within a window by key. Under a flood of keys the longest unused ones are forgotten. */
function createFailures(points: number, duration: number) {
  const limiter = new RateLimiterMemory({ points, duration });
  // In the order of their last failure.
  const keys = new Set<string>();
  const remember = (key: string) => {
    keys.delete(key);
    keys.add(key);
    if (keys.size <= COUNTED_MOST) return;
    const [oldest = ''] = keys;
    keys.delete(oldest);
    void limiter.delete(oldest);
  };
  return {
    /** Milliseconds until the next attempt may be made; 0 when it may be made now. */
    async wait(key: string): Promise<number> {
      const counted = await limiter.get(key);
      return counted !== null && counted.consumedPoints >= points ? Math.max(0, counted.msBeforeNext) : 0;
    },
    async add(key: string): Promise<void> {
      remember(key);
      await limiter.penalty(key);
    },
  };
}

const rateLimited = (milliseconds: number) =>
  new AppError('RATE_LIMITED', {
    headers: { 'Retry-After': String(Math.max(1, Math.ceil(milliseconds / 1000))) },
  });

interface Queue {
  tail: Promise<void>;
  waiting: number;
  /** What those who wait now have in common: the database turned out to be away, or did not yet. */
  spell: { away?: StoreError };
}

export function createLoginLimiter({ perClient, perAddress, windowSeconds }: LoginLimits) {
  const clients = createFailures(perClient, windowSeconds);
  const addresses = createFailures(perAddress, windowSeconds);
  const queues = new Map<string, Queue>();

  /** One at a time, so that what counts is known when the next is judged, however many arrive at once. */
  const inTurn = async <T>(group: string, task: () => Promise<T>): Promise<T> => {
    const queue: Queue = queues.get(group) ?? { tail: Promise.resolve(), waiting: 0, spell: {} };
    if (queue.waiting >= WAITING_MOST) throw rateLimited(0);
    queues.set(group, queue);
    queue.waiting += 1;
    const { spell } = queue;
    const result = queue.tail.then(() => {
      if (spell.away !== undefined) throw spell.away;
      return task();
    });
    queue.tail = result.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await result;
    } catch (error) {
      // Each would wait as long for the same answer, one after the other.
      if (isStoreUnavailable(error) && spell === queue.spell) {
        spell.away = error;
        queue.spell = {};
      }
      throw error;
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) queues.delete(group);
    }
  };

  return {
    /**
     * Runs `attempt`, whose `undefined` is a failure and whose rejection counts as nothing. Rejects with RATE_LIMITED and
     * `Retry-After` in seconds, without running it, after too many failures. Successes never count.
     */
    run<T>({ address, clientId }: Attempt, attempt: () => Promise<T | undefined>): Promise<T | undefined> {
      const group = addressGroup(address);
      const pair = `${group} ${clientId}`;
      return inTurn(group, async () => {
        const wait = Math.max(await clients.wait(pair), await addresses.wait(group));
        if (wait > 0) throw rateLimited(wait);
        const result = await attempt();
        if (result === undefined) await Promise.all([clients.add(pair), addresses.add(group)]);
        return result;
      });
    },
  };
}
