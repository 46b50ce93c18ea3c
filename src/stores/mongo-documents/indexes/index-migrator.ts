// Brings the declared indexes of each name space into force: unique ones before the answer, the others behind it.
import { isStoreUnavailable, StoreError } from '../../../errors.ts';
import { createKeyedMutex } from '../../../lib/async/keyed-mutex.ts';
import { type Pause, pause as pauseOnClock } from '../../../lib/async/pause.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { DocumentStore, IndexDefinition, Namespace } from '../../ports.ts';
import { createDeadline } from '../connection/deadline.ts';
import { createDeadlineSemaphore } from '../connection/deadline-semaphore.ts';
import { namespaceKey } from '../connection/namespaces.ts';
import type { IndexCache, MongoConnection } from '../connection/types.ts';
import {
  type BuildTarget,
  buildAll,
  buildAllOrNone,
  dropAll,
  freeSlots,
  type IndexBuild,
  indexBuild,
  planFor,
  remainingSlots,
  shadowBuilds,
  waitForBuilds,
} from './index-builds.ts';
import { createIndexCache, type WritableIndexCache } from './index-cache.ts';
import { type IndexMigrationPlan, isComplete } from './index-plan.ts';
import type { IndexSpec } from './index-spec.ts';

interface IndexMigratorDeps {
  readonly connection: Pick<MongoConnection, 'run'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly pause?: Pause;
}

interface IndexMigrator {
  readonly ensureIndexes: DocumentStore['ensureIndexes'];
  readonly cache: IndexCache;
  /** Begins and waits for nothing more; what the server is building it goes on building. */
  close(): Promise<void>;
}

/** Between two attempts to go on with what is behind the answer, while the server is away. In milliseconds. */
const RETRY_MS = 2000;
/** The longest pause where the server is there and fails: doubled from the first, as each attempt may read all documents. */
const MAX_RETRY_MS = 60_000;
/** A server builds indexes of three collections at a time: one of them is for those that somebody waits for. */
const MAX_CONCURRENT_BUILDS = 2;
const NO_DEADLINE = createDeadline(Number.POSITIVE_INFINITY, () => 0);

/** One `ensureIndexes`: the last of a name space is the one that counts. */
interface EnsureRequest extends BuildTarget {
  readonly key: string;
  readonly definitions: readonly IndexDefinition[];
}

const conflictError = ({ keys }: IndexDefinition) =>
  new StoreError('index-conflict', { fields: keys.map(({ path }) => path) });

class MongoIndexMigrator implements IndexMigrator {
  readonly #connection: Pick<MongoConnection, 'run'>;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #pause: Pause;
  readonly #closing = new AbortController();
  readonly #foreground = createKeyedMutex();
  readonly #background = createKeyedMutex();
  readonly #builds = createDeadlineSemaphore(MAX_CONCURRENT_BUILDS);
  readonly #latest = new Map<string, EnsureRequest>();
  readonly #unsettled = new Set<Promise<unknown>>();
  readonly cache: WritableIndexCache = createIndexCache();

  constructor({ connection, log, pause = pauseOnClock }: IndexMigratorDeps) {
    this.#connection = connection;
    this.#log = log;
    this.#pause = pause;
  }

  readonly ensureIndexes = async (ns: Namespace, definitions: readonly IndexDefinition[]) => {
    const key = namespaceKey(ns);
    const target = { connection: this.#connection, ns, closing: this.#closing.signal };
    const turn: EnsureRequest = { ...target, key, definitions };
    return this.#foreground.run(key, () => this.#ensureNow(turn));
  };

  readonly close = async (): Promise<void> => {
    this.#closing.abort();
    this.#builds.close();
    await Promise.allSettled(this.#unsettled);
  };

  async #ensureNow(turn: EnsureRequest) {
    if (this.#closing.signal.aborted) throw new StoreError('unavailable', { cause: 'the store is closing' });
    const plan = await this.#makeUnique(turn, true);
    this.#latest.set(turn.key, turn);
    this.cache.set(turn.key, plan);
    const waits = plan.placements.some(({ index, shadow }) => !index.exists || shadow?.exists === false);
    // What refuses writes goes at once; what serves queries serves them until the new ones do.
    await this.#dropNow(turn, waits ? plan.undeclared.filter(({ unique }) => unique) : plan.undeclared);
    // Begun at once, with nothing to change, it need not look again.
    let fresh = isComplete(plan) ? plan : undefined;
    const built = this.#behind(turn.key, () => {
      const known = fresh;
      fresh = undefined;
      return this.#makeOthers(turn, true, known);
    });
    fresh = undefined;
    return { built };
  }

  async #dropNow(turn: EnsureRequest, specs: readonly IndexSpec[]): Promise<void> {
    try {
      await dropAll(turn, specs);
    } catch (error) {
      // The new ones are in force by now; what is done behind the answer drops whatever is left.
      if (!isStoreUnavailable(error)) throw error;
    }
  }

  /** Resolves with the plan as it is once the unique ones are in force. */
  async #makeUnique(turn: EnsureRequest, again: boolean): Promise<IndexMigrationPlan> {
    const plan = await planFor(turn, turn.definitions);
    const refused = plan.conflicts.find(({ unique }) => unique);
    if (refused !== undefined) throw conflictError(refused);
    const builds = plan.placements.map(indexBuild).filter(({ spec }) => spec.unique);
    const missing = builds.filter(({ exists: found }) => !found).map(({ spec }) => spec);
    if (missing.length > 0 && (await freeSlots(turn, plan, missing.length)))
      return this.#makeUnique(turn, again);
    try {
      await buildAllOrNone(turn, builds);
      return plan;
    } catch (error) {
      // Another process may have made one of them a moment ago.
      if (again && isConflict(error)) return await this.#makeUnique(turn, false);
      if (isStoreUnavailable(error)) {
        // Nobody knows how far it came.
        const takenBack = this.#behind(turn.key, (counts) => this.#dropBehind(turn, missing, counts));
        takenBack.catch(() => undefined);
      }
      throw error;
    }
  }

  /** Everything that nobody waits for, as one attempt that may be repeated. */
  async #makeOthers(turn: EnsureRequest, again: boolean, known?: IndexMigrationPlan): Promise<void> {
    let plan = known ?? (await planFor(turn, turn.definitions));
    const isMissing = ({ exists: found }: IndexBuild) => !found;
    const missing = plan.placements.map(indexBuild).filter(isMissing);
    if (missing.length > 0 && (await freeSlots(turn, plan, missing.length))) {
      plan = await planFor(turn, turn.definitions);
    }
    const slots = remainingSlots(plan, missing.length);
    const shadows = shadowBuilds(plan);
    const reachableShadows = [
      ...shadows.filter(({ exists: found }) => found),
      ...shadows.filter(isMissing).slice(0, Math.max(0, slots)),
    ];
    const builds = [
      ...plan.placements.map(indexBuild).filter(({ spec }) => !spec.unique),
      ...reachableShadows,
    ];
    const failures = await this.#build(turn, builds);
    if (again && failures.some(({ error }) => isConflict(error))) return this.#makeOthers(turn, false);
    if (!this.#counts(turn)) return;
    const failed = new Set(failures.map(({ build }) => build.spec.name));
    const ready = reachableShadows.map(({ spec }) => spec.name).filter((name) => !failed.has(name));
    this.cache.set(turn.key, plan, { ready: new Set(ready), failed });
    this.#tellOfTwins(
      turn,
      shadows.filter(({ spec }) => !ready.includes(spec.name)),
    );
    const kept = new Set(failures.map(({ build }) => build.definition.name));
    const going = plan.undeclared.filter(({ name }) => !kept.has(name));
    await this.#dropBehind(turn, going, () => this.#counts(turn));
    const [refused] = plan.conflicts;
    const failure = failures.find(({ build }) => !build.spec.folding)?.error;
    if (failure !== undefined) throw failure;
    if (refused !== undefined) throw conflictError(refused);
  }

  async #build(turn: EnsureRequest, builds: readonly IndexBuild[]) {
    const missing = builds.filter(({ exists: found }) => !found);
    const confirmed = await buildAll(
      turn,
      builds.filter(({ exists: found }) => found),
    );
    if (missing.length === 0) return confirmed;
    await this.#builds.acquire(NO_DEADLINE);
    try {
      return this.#counts(turn) ? [...confirmed, ...(await buildAll(turn, missing))] : confirmed;
    } finally {
      this.#builds.release();
    }
  }

  #tellOfTwins({ ns }: EnsureRequest, missing: readonly IndexBuild[]): void {
    if (missing.length === 0) return;
    const indexes = missing.map(({ definition }) => definition.name);
    this.#log.warn({ namespace: ns, indexes }, 'there is no room for the indexes that ignore case');
  }

  #counts(turn: EnsureRequest): boolean {
    return this.#latest.get(turn.key) === turn && !this.#closing.signal.aborted;
  }

  /** Works until it is done or the server says no. Does nothing once another turn counts than at the beginning. */
  #behind(key: string, work: (counts: () => boolean) => Promise<void>): Promise<void> {
    const turn = this.#latest.get(key);
    const counts = () => this.#latest.get(key) === turn;
    const done = this.#background.run(key, async () => {
      for (let wait = RETRY_MS; counts(); ) {
        try {
          return await work(counts);
        } catch (error) {
          if (!isStoreUnavailable(error) || this.#closing.signal.aborted) throw error;
          await this.#pause(wait, this.#closing.signal);
          wait = error.reason === 'failed' ? Math.min(2 * wait, MAX_RETRY_MS) : RETRY_MS;
        }
      }
    });
    this.#unsettled.add(done);
    const forget = () => this.#unsettled.delete(done);
    done.then(forget, forget);
    return done;
  }

  /** Between two turns, so that nothing goes that the next one wants. */
  async #dropBehind(turn: EnsureRequest, specs: readonly IndexSpec[], counts: () => boolean): Promise<void> {
    const drop = (going: readonly IndexSpec[]) =>
      this.#foreground.run(turn.key, async () => (counts() ? dropAll(turn, going) : []));
    let left = await drop(specs);
    while (left.length > 0) {
      await waitForBuilds(turn, left);
      left = await drop(left);
    }
  }
}

const isConflict = (error: unknown) => error instanceof StoreError && error.reason === 'index-conflict';

/** The indexes of a store. Reads and commits look up in `knowledge` what there is. */
export function createIndexMigrator(collaborators: IndexMigratorDeps): IndexMigrator {
  return new MongoIndexMigrator(collaborators);
}
