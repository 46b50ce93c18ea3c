// Applies specifications to the registry: those found at a start, and every later change. A change is checked, its unique
// indexes are built, it is saved, and then the live collection is swapped whole.
import { AppError, isStoreUnavailable } from '../../errors/errors.ts';
import { createKeyedMutex, type KeyedMutex } from '../../lib/async/concurrency.ts';
import type { Json } from '../../lib/json/json.ts';
import type { Log } from '../../lib/logger.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import type { DocumentStore } from '../../stores/ports.ts';
import type { FilterLimits } from '../filters/parse.ts';
import {
  type Collection,
  type CollectionAddress,
  type CollectionRegistry,
  specifiedAt,
} from '../model/collection.ts';
import { createNearCollections, type NearCollections } from '../model/near-collections.ts';
import {
  assertNoConflicts,
  checkDefaultFilters,
  checkNameCase,
  crossCheck,
  warnMissingHooks,
} from './cross-checks.ts';
import {
  assertNothingBroken,
  createRegistryChange,
  findBroken,
  findDangling,
  warnOfImplied,
} from './dependent-checks.ts';
import { createIndexSync, type IndexProgress } from './index-sync.ts';
import { formatWarning } from './issue-collector.ts';
import { parseSpecification, type SpecificationOptions } from './parse-specification.ts';
import { compilePatterns } from './pattern-compiler.ts';
import { checkRevisionUse } from './revision-checks.ts';
import {
  parseSpecificationText,
  type SpecificationFile,
  type SpecificationFileChange,
  type SpecificationFiles,
} from './specification-files.ts';

/** Lines in the log for one specification. */
const MAX_LOGGED_WARNINGS = 100;

const BROKEN_FILTERS = 'default filters are broken: reads of this collection are refused with 503';

type SpecificationLog = Pick<Log, 'info' | 'warn' | 'error'>;

/** A file that was edited by hand: SHA-256 before and after, null where there was or is none. */
export interface SpecificationEdit {
  readonly address: CollectionAddress;
  readonly before: string | null;
  readonly after: string | null;
}

export interface ApplyChangesDeps extends SpecificationOptions {
  readonly registry: CollectionRegistry;
  readonly store: Pick<DocumentStore, 'find' | 'ensureIndexes'>;
  readonly files: SpecificationFiles;
  readonly filterLimits: FilterLimits;
  /** True for the name of a custom endpoint: its sub-resources would hide the collections of a database of that name. */
  readonly isEndpoint: (version: string, name: string) => boolean;
  /** Names of the hooks that there are. Absent: nothing is known of them. */
  readonly hooks?: Pick<ReadonlySet<string>, 'has'>;
  /** Called before an edit of a file is applied. Throwing prevents it. */
  readonly recordEdit: (edit: SpecificationEdit) => Promise<void>;
  readonly log: SpecificationLog;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Time limit of one database operation, in milliseconds. */
  readonly queryMs: number;
}

interface LoadDeps extends SpecificationOptions {
  readonly registry: CollectionRegistry;
  readonly files: Pick<SpecificationFiles, 'readAll'>;
  readonly filterLimits: FilterLimits;
  readonly log: SpecificationLog;
}

/** Logs why a file was not applied: the issues of the specification, or the error underneath. */
export function logRejectedFile(log: Pick<Log, 'error'>, file: string, error: unknown): void {
  if (error instanceof AppError) log.error({ file, problems: error.items }, 'specification rejected');
  else log.error({ file, err: error }, 'cannot apply specification');
}

function parseFile(
  { address, file, text }: SpecificationFile,
  { log, enableCollectionDatabases, defaultBucket }: LoadDeps,
  others: NearCollections,
): Collection {
  const source = parseSpecificationText(text);
  const { collection, warnings } = parseSpecification(source, address, {
    enableCollectionDatabases,
    defaultBucket,
  });
  const caseIssue = checkNameCase(collection, others.near(collection));
  if (caseIssue !== undefined) throw new AppError('SPECIFICATION_INVALID', { items: [caseIssue] });
  for (const warning of warnings) log.warn({ file, ...warning }, 'specification warning');
  return collection;
}

/** Fills the registry from the files at a start, without a database: indexes are applied later. Broken files are logged and left out. */
export async function loadSpecifications(deps: LoadDeps): Promise<void> {
  const { registry, files, filterLimits, log } = deps;
  const loaded: { readonly file: string; readonly collection: Collection }[] = [];
  const others = createNearCollections();
  for (const found of await files.readAll()) {
    try {
      const collection = parseFile(found, deps, others);
      registry.put(collection);
      others.add(collection);
      loaded.push({ file: found.file, collection });
    } catch (error) {
      registry.withhold(found.address);
      logRejectedFile(log, found.file, error);
    }
  }
  // Default filters may use references, so they are checked when every collection is in the registry.
  // No start takes away a collection for what is in another file: one whose default filters are broken refuses to be read.
  for (const { file, collection } of loaded) {
    const problems = checkDefaultFilters(collection, registry, filterLimits);
    if (problems.length > 0) log.error({ file, problems }, BROKEN_FILTERS);
  }
  for (const implied of registry.list().filter((one) => one.implied)) {
    others.add(implied);
    log.info({ collection: implied.path }, 'the default bucket of media is there without a specification');
  }
  // Each is served its own revisions only, so both stay: no start takes away a collection for what is in another file.
  for (const { file, collection } of loaded) {
    const problems = checkRevisionUse(collection, others.near(collection));
    if (problems.length > 0) log.error({ file, problems }, 'specification conflicts with another one');
  }
}

function createEdit(
  { address, text, before }: SpecificationFileChange,
  live: Collection | undefined,
): SpecificationEdit {
  // An edit that had to wait for the database no longer knows what the file held.
  const known = before === '' && live !== undefined ? `${JSON.stringify(live.source, null, 2)}\n` : before;
  const hashOf = (content: string | undefined) => (content === undefined ? null : sha256Hex(content));
  return { address, before: hashOf(known || undefined), after: hashOf(text) };
}

function assertNoEndpointName(
  { version, database }: CollectionAddress,
  { isEndpoint }: Pick<ApplyChangesDeps, 'isEndpoint'>,
): void {
  if (!isEndpoint(version, database)) return;
  const message = `\`${database}\` is the name of an endpoint of version ${version}`;
  throw new AppError('NAME_TAKEN', { field: 'database', message });
}

export interface ChangeOptions {
  /** Makes the change although it breaks other specifications. */
  readonly force: boolean;
}

interface ChangeApplier {
  /**
   * Checks and applies a specification. `save` runs after the indexes are built; when it throws, they are rolled back. Resolves
   * with what `cloister check` would say of it, and of others because of it.
   */
  apply(
    address: CollectionAddress,
    source: Json,
    save: (collection: Collection) => Promise<void>,
    options: ChangeOptions,
  ): Promise<readonly string[]>;
  /** What becomes of the others without a collection. Throws SPECIFICATION_NEEDED unless the removal is forced. */
  checkRemoval(collection: Collection, options: ChangeOptions): readonly string[];
  /** Removes a collection and the indexes that only it declares. */
  remove(collection: Collection): Promise<void>;
  /**
   * Applies what became of a file, once `record` has resolved. Resolves with false where the store is away: the edit is to be
   * applied later.
   */
  applyFile(file: string, record: (edit: SpecificationEdit) => Promise<void>): Promise<boolean>;
  /** Applies the indexes of all collections. */
  ensureIndexes(alone: KeyedMutex['withLock']): Promise<void>;
  /** See `IndexSync.buildOf`. */
  indexBuild(collection: Collection): IndexProgress | undefined;
}

export function createChangeApplier(deps: ApplyChangesDeps): ChangeApplier {
  const { registry, store, files, log } = deps;
  const indexes = createIndexSync(store, log, deps.now);
  const readLock = createKeyedMutex();
  /** Collections that wait for their indexes: a change meanwhile counts them as live. */
  const pending = new Set<Collection>();
  const live = () => (pending.size === 0 ? registry.list() : [...registry.list(), ...pending]);

  /** What a change does to others, the broken ones first. Throws SPECIFICATION_NEEDED unless it is forced. */
  const checkOthers = (path: string, collection: Collection | undefined, { force }: ChangeOptions) => {
    const change = createRegistryChange(path, collection, registry);
    const broken = findBroken(change, deps.filterLimits);
    if (!force) assertNothingBroken(broken);
    return [...broken, ...findDangling(change)].map(({ message }) => message);
  };
  /** Names the collections that a change has broken, once it is made. */
  const logBroken = (path: string) => {
    for (const collection of registry.list()) {
      const problems =
        collection.path === path ? [] : checkDefaultFilters(collection, registry, deps.filterLimits);
      if (problems.length > 0) log.error({ collection: collection.path, problems }, BROKEN_FILTERS);
    }
  };

  const indexAndSave = async (
    collection: Collection,
    save: (collection: Collection) => Promise<void>,
    options: ChangeOptions,
  ) => {
    const rollBack = await indexes.apply(collection, live);
    try {
      // An endpoint may have taken the name while the indexes were built, and another specification may need the old fields.
      assertNoEndpointName(collection, deps);
      checkOthers(collection.path, collection, options);
      await save(collection);
    } catch (error) {
      await rollBack();
      throw error;
    }
    const before = registry.list();
    registry.put(collection);
    const former = before.find(({ path }) => path === collection.path);
    // Its documents may have been others until now.
    if (former !== undefined) await indexes.adjustFormer(former, collection, live);
    await indexes.adjustImplied(before, live);
  };

  const apply: ChangeApplier['apply'] = async (address, source, save, options) => {
    const patterns = await compilePatterns(source);
    const { collection, warnings } = parseSpecification(source, address, { ...deps, patterns });
    assertNoEndpointName(address, deps);
    const checked = assertNoConflicts(collection, { ...deps, registry: { ...registry, list: live } });
    pending.add(collection);
    let consequences: readonly string[];
    try {
      await checked;
      consequences = checkOthers(collection.path, collection, options);
      await indexAndSave(collection, save, options);
    } finally {
      pending.delete(collection);
    }
    for (const warning of warnings.slice(0, MAX_LOGGED_WARNINGS)) {
      log.warn({ collection: collection.path, ...warning }, 'specification warning');
    }
    if (consequences.length > 0) logBroken(collection.path);
    const crossing = [...crossCheck(collection, registry), ...warnMissingHooks(collection, deps.hooks)];
    return [...warnings.map(formatWarning), ...crossing.map(({ message }) => message), ...consequences];
  };

  const remove: ChangeApplier['remove'] = async (collection) => {
    const before = registry.list();
    registry.remove(collection);
    for (const warning of warnOfImplied(collection, registry)) log.warn({}, warning);
    await indexes.adjust(collection, live);
    await indexes.adjustImplied(before, live);
    logBroken(collection.path);
  };

  return {
    apply,
    remove,
    checkRemoval: (collection, options) => [
      ...checkOthers(collection.path, undefined, options),
      ...warnOfImplied(collection, registry),
    ],
    async applyFile(file, recordEdit) {
      try {
        // A start checks every file: one after the other, so that not all of them are open at once.
        const change = await readLock.withLock('', () => files.readChange(file));
        if (change === undefined) return true;
        const { address, text } = change;
        const current = specifiedAt(registry, address);
        const record = () => recordEdit(createEdit(change, current));
        if (text !== undefined) {
          // The file is there, whatever depends on the former one.
          await apply(address, parseSpecificationText(text), record, { force: true });
        } else if (current !== undefined) {
          await record();
          await remove(current);
        } else registry.remove(address);
        log.info({ file }, text === undefined ? 'specification removed' : 'specification edited');
      } catch (error) {
        if (isStoreUnavailable(error)) {
          files.expectChange(file);
          return false;
        }
        logRejectedFile(log, file, error);
      }
      return true;
    },
    ensureIndexes: (alone) => indexes.applyAll(live, alone),
    indexBuild: indexes.buildOf,
  };
}
