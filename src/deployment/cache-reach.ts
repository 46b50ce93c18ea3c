// Whether all processes reach the cache that they share. Where one cannot, it has all others leave the cache alone, until it can.
import type { Log } from '../lib/logger.ts';
import type { CacheMarks, CountedLimit, SharedCounts } from '../stores/ports.ts';
import type { DeploymentMember } from './deployment.ts';

/** The mark that is part of every key. */
export const EVERYTHING = '*';
/** Milliseconds until a cache that was away is tried again. */
const TRY_AGAIN_MS = 1000;

/** Counts nothing, but asks as limits do. */
const NO_LIMIT: CountedLimit = { key: 'nothing', limit: 0, window: '', own: 0, unheard: 0 };

type Member = Pick<
  DeploymentMember,
  'announce' | 'inForceEverywhere' | 'isCacheAway' | 'isConfirmed' | 'setCacheAway'
>;

interface CacheReachDeps {
  readonly marks: Pick<CacheMarks, 'replace'>;
  /** Undefined where nothing is counted in the cache. */
  readonly counts?: Pick<SharedCounts, 'take'> | undefined;
  readonly member: Member;
  readonly log: Pick<Log, 'warn' | 'info'>;
}

export class CacheReach {
  readonly #deps: CacheReachDeps;
  #timer: NodeJS.Timeout | undefined;
  #leaving: Promise<void> | undefined;
  #isClosed = false;

  constructor(deps: CacheReachDeps) {
    this.#deps = deps;
  }

  /** Whether this process leaves the cache alone: it, or another one, cannot reach it, or may not know what the others do. */
  isAway(): boolean {
    const { member } = this.#deps;
    return this.hasLeft() || member.isCacheAway() || !member.isConfirmed();
  }

  /** Whether this process could not reach it, and has not yet reached it again. */
  hasLeft(): boolean {
    return this.#leaving !== undefined;
  }

  /** Has all leave the cache alone, since this process cannot reach it. Resolves when no process uses it any more. */
  leave(): Promise<void> {
    this.#leaving ??= this.#leave();
    return this.#leaving;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #leave(): Promise<void> {
    const { member, log } = this.#deps;
    log.warn(
      {},
      'the shared cache cannot be reached: no server uses it, and limits are divided, until it can',
    );
    await member.setCacheAway(true).catch(() => undefined);
    await member.announce({ kind: 'cache-away', target: EVERYTHING });
    await member.inForceEverywhere().catch(() => undefined);
    this.#schedule();
  }

  /** Whoever may set marks but not count would otherwise leave the cache again at once. */
  async #canCount(): Promise<boolean> {
    const { counts } = this.#deps;
    const nothing = { wanted: 0, windowMs: 1, isHeld: false };
    return counts === undefined || (await counts.take([NO_LIMIT], nothing)) !== undefined;
  }

  #schedule(): void {
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#tryAgain(), TRY_AGAIN_MS).unref();
  }

  async #tryAgain(): Promise<void> {
    const { marks, member, log } = this.#deps;
    if (!(await marks.replace([EVERYTHING])) || !(await this.#canCount())) return this.#schedule();
    try {
      // From now on each commit replaces its marks, before others use the cache again.
      this.#leaving = undefined;
      await member.setCacheAway(false);
      log.info({}, 'the shared cache is used again');
    } catch {
      this.#leaving = Promise.resolve();
      this.#schedule();
    }
  }
}
