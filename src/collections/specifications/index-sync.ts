// The indexes that specifications declare for each namespace (those of collections, and that of revisions), and how they are applied,
// all or nothing.
import { AppError, isStoreUnavailable, StoreError } from '../../errors/errors.ts';
import type { KeyedMutex } from '../../lib/async/concurrency.ts';
import type { Log } from '../../lib/logger.ts';
import type { NamespaceIndexes } from '../../stores/index-differences.ts';
import {
  type DocumentStore,
  type IndexDefinition,
  type Namespace,
  namespaceKey,
} from '../../stores/ports.ts';
import type { Collection } from '../model/collection.ts';
import { activeRevisionNamespace, REVISION_INDEXES } from '../model/stored-document.ts';
import { mergeIndexes } from './index-definitions.ts';

const namespacesOf = (collection: Collection): readonly Namespace[] => {
  const revisions = activeRevisionNamespace(collection);
  return revisions === undefined ? [collection.namespace] : [collection.namespace, revisions];
};

/** Makes the function that finds the whole set of indexes of one namespace, where `collections` are all that are live. */
function createDeclaredIndexes(
  collections: readonly Collection[],
): (namespace: Namespace) => NamespaceIndexes {
  const sharing = Map.groupBy(collections, ({ namespace }) => namespaceKey(namespace));
  const ofRevisions = new Set(
    collections
      .flatMap((one) => activeRevisionNamespace(one) ?? [])
      .map((namespace) => namespaceKey(namespace)),
  );
  return (namespace) => {
    const key = namespaceKey(namespace);
    const own = sharing.get(key) ?? [];
    if (!ofRevisions.has(key)) return { namespace, indexes: mergeIndexes(own, []) };
    // A unique index would refuse the second revision of a document. Two files may still declare one together.
    const indexes = mergeIndexes(own, REVISION_INDEXES).map((index) => ({ ...index, unique: false }));
    return { namespace, indexes };
  };
}

/** The whole set of indexes of one namespace, where `collections` are all that are live. */
export const declaredIndexes = (namespace: Namespace, collections: readonly Collection[]): NamespaceIndexes =>
  createDeclaredIndexes(collections)(namespace);

/** The same for everything that some of the live collections write to: their own namespaces and those of their revisions. */
export function declaredIndexesOf(
  some: readonly Collection[],
  collections: readonly Collection[],
): readonly NamespaceIndexes[] {
  return some.flatMap(namespacesOf).map(createDeclaredIndexes(collections));
}

/** Indexes of a collection that do not serve yet. */
export interface IndexProgress {
  /** `waiting`: the database went away; the build continues at the next start. `failed`: the log says why. */
  readonly state: 'building' | 'waiting' | 'failed';
  /** Epoch milliseconds. */
  readonly since: number;
}

/** The collections that are live, and those that are about to be: looked at whenever the indexes of a namespace are applied. */
type LiveCollections = () => readonly Collection[];

export interface IndexSync {
  /**
   * Makes `collection` one of the live collections as far as indexes go. Resolves, once unique indexes are in force,
   * with what takes the change back. Throws SPECIFICATION_INVALID, with nothing changed, where data break one or an index
   * that somebody else made stands in its way.
   */
  apply(collection: Collection, live: LiveCollections): Promise<() => Promise<void>>;
  /**
   * Drops what only a collection declared that is no longer among `live`, and builds what is missing. The change is made
   * already: what fails is logged and left to the next start.
   */
  adjust(collection: Collection, live: LiveCollections): Promise<void>;
  /** The same for the documents that a specification was about, where it is about others now. */
  adjustFormer(former: Collection, present: Collection, live: LiveCollections): Promise<void>;
  /** The same for what was implied before a change and is no longer, and the other way round. */
  adjustImplied(before: readonly Collection[], live: LiveCollections): Promise<void>;
  /**
   * At a start: every index of `live` that the data permit; the others are logged and left out. Rejects with a StoreError
   * where the store is away or does not answer in time: then some may be missing, and the whole may be repeated.
   * `alone` runs what is done for one namespace without other changes of it.
   */
  applyAll(live: LiveCollections, alone: KeyedMutex['withLock']): Promise<void>;
  /** What this process builds, or could not build, for a collection; undefined where all its indexes serve. */
  buildOf(collection: Collection): IndexProgress | undefined;
}

const keyPaths = ({ keys }: IndexDefinition) => keys.map(({ path }) => path);

const MESSAGES: ReadonlyMap<StoreError['reason'], (names: string) => string> = new Map([
  ['duplicate', (names) => `the documents that are there are not unique in ${names}`],
  ['index-conflict', (names) => `an index that is there already stands in the way of that on ${names}`],
]);

/** What is wrong with the specification, where it is that; otherwise the error as it is. */
function toSpecificationError(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  const words = MESSAGES.get(error.reason);
  if (words === undefined) return error;
  const { fields, explanation } = error;
  const message = explanation ?? words(fields.map((field) => `\`${field}\``).join(', '));
  const field = fields.length === 0 ? {} : { field: fields.join(',') };
  const item = { section: 'settings', setting: 'index', ...field, message };
  return new AppError('SPECIFICATION_INVALID', { items: [item], cause: error });
}

/** The indexes without the unique one that the store refuses; undefined where it is not one of them. */
function withoutRejectedIndex(
  { namespace, indexes }: NamespaceIndexes,
  error: StoreError,
): NamespaceIndexes | undefined {
  const refused = error.fields.join('\0');
  const rest = indexes.filter((index) => !index.unique || keyPaths(index).join('\0') !== refused);
  return rest.length < indexes.length ? { namespace, indexes: rest } : undefined;
}

export function createIndexSync(
  store: Pick<DocumentStore, 'ensureIndexes'>,
  log: Pick<Log, 'warn' | 'error'>,
  now: () => number,
): IndexSync {
  const builds = new Map<string, IndexProgress>();

  const ensure = async ({ namespace, indexes }: NamespaceIndexes): Promise<void> => {
    const key = namespaceKey(namespace);
    const build: IndexProgress = { state: 'building', since: now() };
    builds.set(key, build);
    const end = (state?: IndexProgress['state']) => {
      // A later change of the indexes has begun a build of its own.
      if (builds.get(key) !== build) return;
      if (state === undefined) builds.delete(key);
      else builds.set(key, { state, since: now() });
    };
    try {
      const { built } = await store.ensureIndexes(namespace, indexes);
      built.then(
        () => end(),
        (error: unknown) => {
          const fields = { err: error, namespace };
          const isWaiting = isStoreUnavailable(error);
          if (isWaiting) log.warn(fields, 'index not built yet: the build continues at the next start');
          else log.error(fields, 'index build failed');
          end(isWaiting ? 'waiting' : 'failed');
        },
      );
    } catch (error) {
      end();
      throw error;
    }
  };

  const restore = async (namespaces: readonly Namespace[], live: LiveCollections): Promise<void> => {
    for (const namespace of namespaces) await ensure(declaredIndexes(namespace, live()));
  };

  const ensureWhatHolds = async (declared: NamespaceIndexes): Promise<void> => {
    try {
      await ensure(declared);
    } catch (error) {
      if (isStoreUnavailable(error)) throw error;
      log.error({ err: error, namespace: declared.namespace }, 'index not applied');
      const rest = error instanceof StoreError ? withoutRejectedIndex(declared, error) : undefined;
      if (rest !== undefined) await ensureWhatHolds(rest);
    }
  };

  const adjust: IndexSync['adjust'] = async (collection, live) => {
    try {
      await ensure(declaredIndexes(collection.namespace, live()));
    } catch (error) {
      log.error({ err: error, collection: collection.path }, 'could not drop undeclared indexes');
    }
  };

  return {
    adjust,
    async adjustFormer(former, present, live) {
      if (namespaceKey(former.namespace) !== namespaceKey(present.namespace)) await adjust(former, live);
    },
    async adjustImplied(before, live) {
      const after = live();
      const isChanged = (one: Collection) => one.implied && before.includes(one) !== after.includes(one);
      for (const collection of [...before, ...after].filter(isChanged)) await adjust(collection, live);
    },
    async apply(collection, live) {
      const after = () => [...live().filter(({ path }) => path !== collection.path), collection];
      const without = () => live().filter((other) => other !== collection);
      const done: Namespace[] = [];
      for (const { namespace } of declaredIndexesOf([collection], after())) {
        try {
          await ensure(declaredIndexes(namespace, after()));
          done.push(namespace);
        } catch (error) {
          await restore(done, without);
          throw toSpecificationError(error);
        }
      }
      return () => restore(done, without);
    },
    buildOf: (collection) => {
      const revisions = activeRevisionNamespace(collection);
      const ofRevisions = revisions && builds.get(namespaceKey(revisions));
      return builds.get(namespaceKey(collection.namespace)) ?? ofRevisions;
    },
    async applyAll(live, alone) {
      const all = live().flatMap(namespacesOf);
      const namespaces = new Map(all.map((namespace) => [namespaceKey(namespace), namespace]));
      // Made again only where the collections have changed meanwhile.
      let of = live();
      let declaredFor = createDeclaredIndexes(of);
      const declaredNow = (namespace: Namespace) => {
        if (live() !== of) {
          of = live();
          declaredFor = createDeclaredIndexes(of);
        }
        return declaredFor(namespace);
      };
      let late: StoreError | undefined;
      for (const [key, namespace] of namespaces) {
        try {
          await alone(key, () => ensureWhatHolds(declaredNow(namespace)));
        } catch (error) {
          // One collection that is slow to answer keeps the indexes of no other waiting.
          if (!isStoreUnavailable(error) || error.reason === 'unavailable') throw error;
          // A damaged file does not mend itself: no other collection waits for that.
          if (error.reason !== 'damaged') late = error;
          else log.error({ err: error, namespace }, 'cannot apply the indexes of a collection');
        }
      }
      if (late !== undefined) throw late;
    },
  };
}
