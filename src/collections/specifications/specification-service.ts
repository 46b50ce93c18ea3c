// The life of specifications: loaded from files, posted, edited by hand, removed. Every change goes through here: checked,
// indexes in force, file written, then the live collection swapped whole. Changes on the same documents follow one another;
// the others go on while one of them waits for its indexes.
import { AppError, isStoreUnavailable } from '../../errors.ts';
import { createKeyedMutex, type KeyedMutex } from '../../lib/async/keyed-mutex.ts';
import { type Pause, pause as pauseOnClock } from '../../lib/async/pause.ts';
import { createRetrier } from '../../lib/async/retry.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import { namespaceKey } from '../../stores/namespace.ts';
import type { DocumentStore } from '../../stores/ports.ts';
import type { FilterLimits } from '../filters/filter-quota.ts';
import type { Collection, CollectionAddress } from '../model/collection.ts';
import type { Registry } from '../model/registry.ts';
import { namespaceOf } from './address.ts';
import { assertNoConflicts } from './conflicts.ts';
import { createIndexSync } from './index-sync.ts';
import { loadSpecifications, logRejectedFile } from './loader.ts';
import type { SpecificationLog } from './log.ts';
import { parseSpecification, type SpecificationOptions } from './parse-specification.ts';
import { compilePatterns } from './pattern-compiler.ts';
import {
  parseSpecificationText,
  type SpecificationFileChange,
  type SpecificationFiles,
} from './specification-files.ts';

/** Lines in the log for one specification. */
const MAX_LOGGED_WARNINGS = 100;

interface SpecificationServiceDeps extends SpecificationOptions {
  readonly registry: Registry;
  readonly store: Pick<DocumentStore, 'find' | 'ensureIndexes' | 'health'>;
  readonly files: SpecificationFiles;
  readonly filterLimits: FilterLimits;
  /** Whether a custom endpoint has this name: its sub-resources would hide the collections of a folder called so. */
  readonly isEndpoint: (version: string, name: string) => boolean;
  /** Called before an edit comes into force, which it may prevent by throwing. */
  readonly recordEdit: (edit: SpecificationEdit) => Promise<void>;
  readonly log: SpecificationLog;
  readonly now: () => number;
  /** Bound of one database operation, in milliseconds. */
  readonly queryMs: number;
  readonly pause?: Pause | undefined;
}

/** A specification before and after a change; undefined where there was or is none. */
interface SpecificationChange {
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
}

/** Runs `apply`, which brings a change into force; what it does before comes before the change, and may prevent it. */
export type ChangeInterceptor = (change: SpecificationChange, apply: () => Promise<void>) => Promise<void>;

/** A file that was edited by hand: SHA-256 before and after, null where there was or is none. */
export interface SpecificationEdit {
  readonly address: CollectionAddress;
  readonly before: string | null;
  readonly after: string | null;
}

const applyDirectly: ChangeInterceptor = (_change, apply) => apply();

export interface SpecificationService {
  /** Takes up every specification file, then watches for edits. A broken file is logged and left out. */
  load(): Promise<void>;
  /**
   * Brings the indexes of all collections into force. Those that the data do not permit are logged and left out. Rejects
   * while the store is away: to be repeated.
   */
  ensureIndexes(): Promise<void>;
  /**
   * Creates or replaces. In force, its unique indexes too, when it resolves; a rejection has changed nothing. What is
   * refused never gets to `around`.
   */
  put(
    address: CollectionAddress,
    body: Json,
    around?: ChangeInterceptor,
  ): Promise<{ readonly created: boolean }>;
  /** The specification as it was posted, with the time of that in `settings.lastModifiedAt`. */
  read(address: CollectionAddress): JsonObject | undefined;
  /** Removes the collection and its file; the documents stay. Throws NOT_FOUND. */
  remove(address: CollectionAddress, around?: ChangeInterceptor): Promise<void>;
  /** Ends the watch and waits for the change in hand. */
  close(): Promise<void>;
}

function createEdit(
  { address, text, before }: SpecificationFileChange,
  live: Collection | undefined,
): SpecificationEdit {
  // What was in the file is not known any more when the edit had to wait.
  const known = before === '' && live !== undefined ? `${JSON.stringify(live.source, null, 2)}\n` : before;
  const hashOf = (content: string | undefined) => (content === undefined ? null : sha256Hex(content));
  return { address, before: hashOf(known || undefined), after: hashOf(text) };
}

function withModifiedTime(body: Json, now: number): Json {
  if (!isJsonObject(body) || !isJsonObject(body['settings'])) return body;
  return { ...body, settings: { ...body['settings'], lastModifiedAt: now } };
}

function assertNoEndpointName(
  { version, database }: CollectionAddress,
  { isEndpoint }: Pick<SpecificationServiceDeps, 'isEndpoint'>,
): void {
  if (!isEndpoint(version, database)) return;
  const message = `\`${database}\` is the name of an endpoint of version ${version}`;
  throw new AppError('NAME_TAKEN', { field: 'database', message });
}

// `save` runs between indexes and swap: when it fails, the indexes go back to what they were.
function createChangeApplier(options: SpecificationServiceDeps) {
  const { registry, store, files, log } = options;
  const indexes = createIndexSync(store, log);
  const reading = createKeyedMutex();
  /** On their way into the registry: a change beside them counts with them. */
  const coming = new Set<Collection>();
  const live = () => [...registry.list(), ...coming];

  const addAndSave = async (collection: Collection, save: (collection: Collection) => Promise<void>) => {
    const takeBack = await indexes.apply(collection, live);
    try {
      // Endpoints know nothing of collections that wait for their indexes.
      assertNoEndpointName(collection, options);
      await save(collection);
    } catch (error) {
      await takeBack();
      throw error;
    }
    registry.put(collection);
  };

  const bringIntoForce = async (
    address: CollectionAddress,
    source: Json,
    save: (collection: Collection) => Promise<void>,
  ): Promise<void> => {
    const patterns = await compilePatterns(source);
    const { collection, warnings } = parseSpecification(source, address, { ...options, patterns });
    assertNoEndpointName(address, options);
    const checked = assertNoConflicts(collection, { ...options, registry: { ...registry, list: live } });
    coming.add(collection);
    try {
      await checked;
      await addAndSave(collection, save);
    } finally {
      coming.delete(collection);
    }
    for (const warning of warnings.slice(0, MAX_LOGGED_WARNINGS)) {
      log.warn({ collection: collection.path, ...warning }, 'specification warning');
    }
  };

  const takeOut = async (collection: Collection): Promise<void> => {
    registry.remove(collection);
    try {
      await indexes.dropUndeclared(collection, live);
    } catch (error) {
      log.error({ err: error, collection: collection.path }, 'indexes that nobody declares any more stay');
    }
  };

  /** Gives false where the store was away: the edit is to be applied later. */
  const applyEdit = async (file: string): Promise<boolean> => {
    try {
      // A start looks at every file: one after the other, so that not all of them are open at once.
      const change = await reading.run('', () => files.readChange(file));
      if (change === undefined) return true;
      const { address, text } = change;
      const { version, database, name } = address;
      const live = registry.get(version, database, name);
      const note = () => options.recordEdit(createEdit(change, live));
      if (text !== undefined) {
        await bringIntoForce(address, parseSpecificationText(text), note);
      } else if (live !== undefined) {
        await note();
        await takeOut(live);
      }
      log.info({ file }, text === undefined ? 'a specification was removed' : 'a specification was edited');
    } catch (error) {
      if (isStoreUnavailable(error)) {
        files.expectChange(file);
        return false;
      }
      logRejectedFile(log, file, error);
    }
    return true;
  };

  return {
    bringIntoForce,
    takeOut,
    applyEdit,
    load: () => loadSpecifications(options),
    ensureIndexes: (alone: KeyedMutex['run']) => indexes.applyAll(live, alone),
  };
}

/** Gives the one way to change the live collections. Changes of one name space run one after the other. */
export function createSpecificationService(options: SpecificationServiceDeps): SpecificationService {
  const { registry, store, files, log, now, pause = pauseOnClock } = options;
  const changes = createChangeApplier(options);
  const queue = createKeyedMutex();
  const running = new Set<Promise<unknown>>();
  const alone = <T>(key: string, task: () => Promise<T>): Promise<T> => {
    const change = queue.run(key, task);
    running.add(change);
    const ended = () => running.delete(change);
    change.then(ended, ended);
    return change;
  };
  const aloneAt = <T>(address: CollectionAddress, task: () => Promise<T>) =>
    alone(namespaceKey(namespaceOf(address, options.enableCollectionDatabases)), task);
  const closing = new AbortController();
  const edited = createRetrier<string>({
    task: async (file) => {
      const address = files.addressOf(file);
      return address === undefined || aloneAt(address, () => changes.applyEdit(file));
    },
    keyOf: (file) => file,
    onRetry: (file) => log.warn({ file }, 'an edit waits for the database'),
    pause,
    signal: closing.signal,
  });
  const current = ({ version, database, name }: CollectionAddress) => registry.get(version, database, name);
  let endWatch: () => Promise<void> = async () => {};

  return {
    async load() {
      await changes.load();
      const failed = (error: unknown) =>
        log.error({ err: error }, 'cannot watch specification files: edits need a restart');
      await files
        .watch((file) => void edited(file), failed)
        .then((end) => {
          endWatch = end;
        }, failed);
    },
    ensureIndexes: () => changes.ensureIndexes(alone),
    put: (address, body, around = applyDirectly) =>
      aloneAt(address, async () => {
        await store.health();
        const before = current(address)?.source;
        const save = ({ source }: Collection) =>
          around({ before, after: source }, () => files.write(address, source));
        await changes.bringIntoForce(address, withModifiedTime(body, now()), save);
        return { created: before === undefined };
      }),
    read: (address) => current(address)?.source,
    remove: (address, around = applyDirectly) =>
      aloneAt(address, async () => {
        const live = current(address);
        if (live === undefined) throw new AppError('NOT_FOUND');
        await store.health();
        await around({ before: live.source, after: undefined }, async () => {
          await files.remove(address);
          await changes.takeOut(live);
        });
      }),
    async close() {
      closing.abort();
      await endWatch();
      await Promise.allSettled(running);
    },
  };
}
