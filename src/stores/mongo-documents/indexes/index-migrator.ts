// Makes the indexes of each collection match its definitions: unique indexes before `ensureIndexes` resolves, all other
// builds and drops in the background.
import { isStoreUnavailable, StoreError } from '../../../errors/errors.ts';
import { createKeyedMutex, createSemaphore } from '../../../lib/async/concurrency.ts';
import { type Pause, pause as pauseOnClock } from '../../../lib/async/retry.ts';
import { type DocumentStore, type IndexDefinition, type Namespace, namespaceKey } from '../../ports.ts';
import type { IndexCache, MongoConnection } from '../connection/types.ts';
import {
  type BuildTarget,
  buildAll,
  buildAllOrNone,
  closingError,
  dropAll,
  freeSlots,
  type IndexBuild,
  indexBuild,
  planFor,
  waitForBuilds,
} from './index-builds.ts';
import {
  createIndexCache,
  type IndexMigrationPlan,
  type IndexSpec,
  isComplete,
  type WritableIndexCache,
} from './migration-plan.ts';

interface IndexMigratorDeps {
  readonly connection: Pick<MongoConnection, 'run'>;
  readonly pause?: Pause;
}

interface IndexMigrator {
  readonly ensureIndexes: DocumentStore['ensureIndexes'];
  readonly cache: IndexCache;
  /** Starts nothing more and stops waiting for the server, which continues the builds that it has started. */
  close(): Promise<void>;
}

/** Delay between background attempts while the server is unavailable, in milliseconds. */
const RETRY_MS = 2000;
/** Longest delay while the server is up but fails; doubled from the first, as each attempt may read all documents. */
const MAX_RETRY_MS = 60_000;
/** The server builds indexes of three collections at a time: one slot stays free for builds that a caller waits for. */
const MAX_BACKGROUND_BUILDS = 2;

/** One call of `ensureIndexes`. Only the latest of a collection is current. */
interface EnsureRequest extends BuildTarget {
  readonly key: string;
  readonly definitions: readonly IndexDefinition[];
}

const conflictError = ({ keys }: IndexDefinition) =>
  new StoreError('index-conflict', { fields: keys.map(({ path }) => path) });

const isConflict = (error: unknown) => error instanceof StoreError && error.reason === 'index-conflict';

const exists = ({ exists: found }: IndexBuild) => found;
const isMissing = (build: IndexBuild) => !exists(build);

class MongoIndexMigrator implements IndexMigrator {
  readonly #connection: Pick<MongoConnection, 'run'>;
  readonly #pause: Pause;
  readonly #closing = new AbortController();
  /** Serializes `ensureIndexes` and drops, by collection. */
  readonly #foreground = createKeyedMutex();
  /** Serializes background work, by collection. */
  readonly #background = createKeyedMutex();
  readonly #withBuildSlot = createSemaphore(MAX_BACKGROUND_BUILDS);
  readonly #latest = new Map<string, EnsureRequest>();
  readonly #pending = new Set<Promise<unknown>>();
  readonly cache: WritableIndexCache = createIndexCache();

  constructor({ connection, pause = pauseOnClock }: IndexMigratorDeps) {
    this.#connection = connection;
    this.#pause = pause;
  }

  readonly ensureIndexes = async (ns: Namespace, definitions: readonly IndexDefinition[]) => {
    const key = namespaceKey(ns);
    const target = { connection: this.#connection, ns, closing: this.#closing.signal };
    const request: EnsureRequest = { ...target, key, definitions };
    return this.#foreground.withLock(key, () => this.#ensureNow(request));
  };

  readonly close = async (): Promise<void> => {
    this.#closing.abort();
    await Promise.allSettled(this.#pending);
  };

  async #ensureNow(request: EnsureRequest) {
    if (this.#closing.signal.aborted) throw closingError();
    const plan = await this.#buildUnique(request, true);
    this.#latest.set(request.key, request);
    this.cache.set(request.key, plan);
    const isIncomplete = plan.placements.some(({ index }) => !index.exists);
    // An undeclared unique index rejects writes, so it is dropped now; the others serve queries until the new ones do.
    const dropped = isIncomplete ? plan.undeclared.filter(({ unique }) => unique) : plan.undeclared;
    await this.#dropNow(request, dropped);
    // The first background attempt reuses a complete plan instead of listing the indexes again.
    let freshPlan = isComplete(plan) ? plan : undefined;
    const built = this.#runInBackground(request.key, () => {
      const known = freshPlan;
      freshPlan = undefined;
      return this.#buildRemaining(request, true, known);
    });
    freshPlan = undefined;
    return { built };
  }

  async #dropNow(request: EnsureRequest, specs: readonly IndexSpec[]): Promise<void> {
    try {
      await dropAll(request, specs);
    } catch (error) {
      // The unique indexes are in force by now; the background work drops what is left.
      if (!isStoreUnavailable(error)) throw error;
    }
  }

  /** Builds the unique indexes, all or none. Resolves with the plan that they were built by. */
  async #buildUnique(request: EnsureRequest, mayRetry: boolean): Promise<IndexMigrationPlan> {
    const plan = await planFor(request, request.definitions);
    const conflicting = plan.conflicts.find(({ unique }) => unique);
    if (conflicting !== undefined) throw conflictError(conflicting);
    const builds = plan.placements.map(indexBuild).filter(({ spec }) => spec.unique);
    const missing = builds.filter(isMissing).map(({ spec }) => spec);
    if (missing.length > 0 && (await freeSlots(request, plan, missing.length))) {
      return this.#buildUnique(request, mayRetry);
    }
    try {
      await buildAllOrNone(request, builds);
      return plan;
    } catch (error) {
      // Another process may have created one of them meanwhile.
      if (mayRetry && isConflict(error)) return await this.#buildUnique(request, false);
      if (isStoreUnavailable(error)) {
        // It is not known which of them the server has built.
        const dropping = this.#runInBackground(request.key, (isCurrent) =>
          this.#dropInBackground(request, missing, isCurrent),
        );
        dropping.catch(() => undefined);
      }
      throw error;
    }
  }

  /** Builds the indexes that no caller waits for, then drops undeclared ones. May be repeated as a whole. */
  async #buildRemaining(
    request: EnsureRequest,
    mayRetry: boolean,
    known?: IndexMigrationPlan,
  ): Promise<void> {
    let plan = known ?? (await planFor(request, request.definitions));
    const missing = plan.placements.map(indexBuild).filter(isMissing);
    if (missing.length > 0 && (await freeSlots(request, plan, missing.length))) {
      plan = await planFor(request, request.definitions);
    }
    const builds = plan.placements.map(indexBuild).filter(({ spec }) => !spec.unique);
    const failures = await this.#build(request, builds);
    if (mayRetry && failures.some(({ error }) => isConflict(error)))
      return this.#buildRemaining(request, false);
    if (!this.#isCurrent(request)) return;
    this.cache.set(request.key, plan, new Set(failures.map(({ build }) => build.spec.name)));
    const kept = new Set(failures.map(({ build }) => build.definition.name));
    const undeclared = plan.undeclared.filter(({ name }) => !kept.has(name));
    await this.#dropInBackground(request, undeclared, () => this.#isCurrent(request));
    const [conflicting] = plan.conflicts;
    if (failures[0] !== undefined) throw failures[0].error;
    if (conflicting !== undefined) throw conflictError(conflicting);
  }

  async #build(request: EnsureRequest, builds: readonly IndexBuild[]) {
    const missing = builds.filter(isMissing);
    const confirmed = await buildAll(request, builds.filter(exists));
    if (missing.length === 0 || this.#closing.signal.aborted) return confirmed;
    return this.#withBuildSlot(async () => {
      if (this.#closing.signal.aborted) throw closingError();
      return this.#isCurrent(request) ? [...confirmed, ...(await buildAll(request, missing))] : confirmed;
    });
  }

  #isCurrent(request: EnsureRequest): boolean {
    return this.#latest.get(request.key) === request && !this.#closing.signal.aborted;
  }

  /**
   * Runs `work` after earlier background work of the collection, and retries it while the server is unavailable. Stops
   * once another request is current than at the start.
   */
  #runInBackground(key: string, work: (isCurrent: () => boolean) => Promise<void>): Promise<void> {
    const request = this.#latest.get(key);
    const isCurrent = () => this.#latest.get(key) === request;
    const done = this.#background.withLock(key, async () => {
      for (let delayMs = RETRY_MS; isCurrent(); ) {
        try {
          return await work(isCurrent);
        } catch (error) {
          if (!isStoreUnavailable(error) || this.#closing.signal.aborted) throw error;
          await this.#pause(delayMs, this.#closing.signal);
          delayMs = error.reason === 'failed' ? Math.min(2 * delayMs, MAX_RETRY_MS) : RETRY_MS;
        }
      }
    });
    this.#pending.add(done);
    const forget = () => this.#pending.delete(done);
    done.then(forget, forget);
    return done;
  }

  /** Drops indexes between two `ensureIndexes`, so that none is dropped that the next one declares. */
  async #dropInBackground(
    request: EnsureRequest,
    specs: readonly IndexSpec[],
    isCurrent: () => boolean,
  ): Promise<void> {
    const drop = (candidates: readonly IndexSpec[]) =>
      this.#foreground.withLock(request.key, async () => (isCurrent() ? dropAll(request, candidates) : []));
    let stillBuilding = await drop(specs);
    while (stillBuilding.length > 0) {
      await waitForBuilds(request, stillBuilding);
      stillBuilding = await drop(stillBuilding);
    }
  }
}

/** Creates the index migrator of a store. Reads and commits look up existing indexes in its `cache`. */
export function createIndexMigrator(deps: IndexMigratorDeps): IndexMigrator {
  return new MongoIndexMigrator(deps);
}
