// Specifications as the rest of the server uses them: loaded from files, posted, edited by hand, removed. Changes on the
// same documents run one after the other; a change that waits for its indexes blocks no other.
import type { Coordination } from '../../deployment/coordination.ts';
import { AppError, isStoreUnavailable, StoreError } from '../../errors/errors.ts';
import { createChangeQueue } from '../../lib/async/change-queue.ts';
import { createKeyedMutex } from '../../lib/async/concurrency.ts';
import { createRetrier, type Pause, pause as pauseOnClock } from '../../lib/async/retry.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { type DocumentStore, namespaceKey } from '../../stores/ports.ts';
import {
  type Collection,
  type CollectionAddress,
  type CollectionRegistry,
  specifiedAt,
} from '../model/collection.ts';
import {
  type ApplyChangesDeps,
  type ChangeOptions,
  createChangeApplier,
  loadSpecifications,
} from './apply-changes.ts';
import { collectionPath, namespaceOf, storedNameOf } from './collection-address.ts';
import type { IndexProgress } from './index-sync.ts';

interface SpecificationServiceDeps extends ApplyChangesDeps {
  readonly store: Pick<DocumentStore, 'find' | 'ensureIndexes' | 'health'>;
  readonly pause?: Pause | undefined;
  /** The other processes on the same database. */
  readonly coordination: Pick<Coordination, 'onChange' | 'announce' | 'exclusively' | 'inForceEverywhere'>;
  /** Resolves when the commits have ended that began before: they were checked against what was in force then. */
  readonly commitsSettled: () => Promise<void>;
}

/** A specification before and after a change; undefined where there was or is none. */
interface SpecificationChange {
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
}

/** Runs `apply`, which makes a change live. What it does before that happens before the change, and throwing prevents it. */
export type ChangeInterceptor = (change: SpecificationChange, apply: () => Promise<void>) => Promise<void>;

const applyDirectly: ChangeInterceptor = (_change, apply) => apply();

interface SpecificationChangeOptions extends Partial<ChangeOptions> {
  readonly intercept?: ChangeInterceptor;
}

export interface SpecificationService {
  /**
   * Loads every specification file, then watches for edits. A broken file is logged and left out. Rejects with the store's
   * StoreError where the files are in a database: then it may be called again.
   */
  load(): Promise<void>;
  /**
   * Applies the indexes of all collections. Those that the data do not permit are logged and left out. Rejects
   * while the store is away: to be repeated.
   */
  ensureIndexes(): Promise<void>;
  /**
   * Creates or replaces a specification. It is live, with its unique indexes, when the promise resolves; a rejection has
   * changed nothing. `intercept` is only called for a valid specification. Throws SPECIFICATION_NEEDED where it would break
   * another one, unless it is forced.
   */
  put(
    address: CollectionAddress,
    body: Json,
    options?: SpecificationChangeOptions,
  ): Promise<{ readonly created: boolean; readonly warnings: readonly string[] }>;
  /**
   * The specification as it was posted, with the time of that in `settings.lastModifiedAt`; of the default bucket of media,
   * which may have none, the one that it would have.
   */
  read(address: CollectionAddress): JsonObject | undefined;
  /**
   * Removes the collection and its file; the documents stay. Resolves with what becomes of others. Throws NOT_FOUND, and
   * SPECIFICATION_NEEDED where it would break another one, unless it is forced.
   */
  remove(address: CollectionAddress, options?: SpecificationChangeOptions): Promise<readonly string[]>;
  /** What this process builds, or could not build, for a collection; undefined where all its indexes serve. */
  indexBuild(collection: Collection): IndexProgress | undefined;
  /** Stops watching and waits for running changes. */
  close(): Promise<void>;
}

function withModifiedTime(body: Json, now: number): Json {
  if (!isJsonObject(body) || !isJsonObject(body['settings'])) return body;
  return { ...body, settings: { ...body['settings'], lastModifiedAt: now } };
}

/** The error for a specification that is not there, though the collection may be. */
function missingSpecification(
  registry: Pick<CollectionRegistry, 'get'>,
  address: CollectionAddress,
): AppError {
  const { version, database, name } = address;
  if (registry.get(version, database, name) === undefined) return new AppError('NOT_FOUND');
  const message =
    'This default bucket of media has no specification: it is there as long as another one refers to it';
  return new AppError('NOT_FOUND', { message });
}

/** Creates the service. It is the only way to change the live collections. */
export function createSpecificationService(deps: SpecificationServiceDeps): SpecificationService {
  const { registry, store, files, log, now, pause = pauseOnClock, coordination } = deps;
  const changes = createChangeApplier(deps);
  const mutex = createKeyedMutex();
  const running = new Set<Promise<unknown>>();
  const withLock = <T>(key: string, task: () => Promise<T>): Promise<T> => {
    const change = mutex.withLock(key, task);
    running.add(change);
    const onEnd = () => running.delete(change);
    change.then(onEnd, onEnd);
    return change;
  };
  /** Locks the documents that the specification at `address` is about, and those that it will be about by `source`. */
  const withNamespaceLock = <T>(address: CollectionAddress, source: Json, task: () => Promise<T>) => {
    const names = [
      address.name,
      storedNameOf(source, address),
      storedNameOf(current(address)?.source ?? null, address),
    ];
    const keys = names.map((name) =>
      namespaceKey(namespaceOf(address, deps.enableCollectionDatabases, name)),
    );
    // In one order, so that no two changes wait for each other.
    const inOrder = [...new Set(keys)].sort();
    const locked = inOrder.reduceRight<() => Promise<T>>(
      (inner, key) => () => withLock(key, () => coordination.exclusively(`specification ${key}`, inner)),
      task,
    );
    return locked();
  };
  const announce = (address: CollectionAddress) =>
    coordination.announce({ kind: 'specification', target: collectionPath(address) });
  /** Makes a change, and resolves when every write is checked against it, in this process and the others. */
  const change = async <T>(address: CollectionAddress, source: Json, task: () => Promise<T>): Promise<T> => {
    const result = await withNamespaceLock(address, source, async () => {
      const made = await task();
      await announce(address);
      return made;
    });
    await deps.commitsSettled();
    await coordination.inForceEverywhere();
    return result;
  };
  // Under no lock: whoever waits for the others may hold it. An edit by hand is recorded by whoever finds it first.
  const others = createChangeQueue(async (path) => {
    for (const file of await files.list()) {
      const address = files.addressOf(file);
      const isMeant = address !== undefined && (path === undefined || path === collectionPath(address));
      if (isMeant && !(await changes.applyFile(file, async () => {}))) throw new StoreError('unavailable');
    }
    await deps.commitsSettled();
  });
  coordination.onChange('specification', others.apply);
  const closing = new AbortController();
  const onFileEdited = createRetrier<string>({
    task: async (file) => {
      const address = files.addressOf(file);
      if (address === undefined) return true;
      try {
        return await withNamespaceLock(address, null, () =>
          changes.applyFile(file, async (edit) => {
            await deps.recordEdit(edit);
            await announce(address);
          }),
        );
      } catch (error) {
        if (isStoreUnavailable(error)) return false;
        throw error;
      }
    },
    keyOf: (file) => file,
    onRetry: (file) => log.warn({ file }, 'specification edit waits for the database'),
    pause,
    signal: closing.signal,
  });
  const current = (address: CollectionAddress) => specifiedAt(registry, address);
  let endWatch: () => Promise<void> = async () => {};

  return {
    async load() {
      others.begin();
      await loadSpecifications(deps);
      await others.open();
      const onError = (error: unknown) =>
        log.error({ err: error }, 'cannot watch specification files: edits need a restart');
      await files
        .watch((file) => void onFileEdited(file), onError)
        .then((end) => {
          endWatch = end;
        }, onError);
    },
    ensureIndexes: () => changes.ensureIndexes(withLock),
    indexBuild: changes.indexBuild,
    put: (address, body, { intercept = applyDirectly, force = false } = {}) =>
      change(address, body, async () => {
        await store.health();
        const before = current(address)?.source;
        const save = ({ source }: Collection) =>
          intercept({ before, after: source }, () => files.write(address, source));
        const warnings = await changes.apply(address, withModifiedTime(body, now()), save, { force });
        return { created: before === undefined, warnings };
      }),
    read: ({ version, database, name }) => registry.get(version, database, name)?.source,
    remove: (address, { intercept = applyDirectly, force = false } = {}) =>
      change(address, null, async () => {
        const collection = current(address);
        if (collection === undefined) throw missingSpecification(registry, address);
        await store.health();
        const warnings = changes.checkRemoval(collection, { force });
        await intercept({ before: collection.source, after: undefined }, async () => {
          await files.remove(address);
          await changes.remove(collection);
        });
        return warnings;
      }),
    async close() {
      closing.abort();
      await endWatch();
      await Promise.allSettled(running);
    },
  };
}
