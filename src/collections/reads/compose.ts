// Composes documents: replaces ids by the documents they refer to, level by level, with one query per level and collection.
// `createNode` collects the ids of a document into batches, `resolveBatch` reads the documents of a batch, `embedDocument` puts each
// in the place of its id and, with `createNode`, collects its own ids for the next level.
import { AppError } from '../../errors/errors.ts';
import {
  andThen,
  forEachInTurn,
  forEachYielding,
  type MaybePromise,
  mapYielding,
} from '../../lib/async/maybe-promise.ts';
import {
  documentsById,
  type MemberNames,
  memberName,
  memberNames,
  readDocumentId,
} from '../../lib/json/stored-json.ts';
import { filterByIds } from '../../stores/filter.ts';
import type { DocumentStore, Projection } from '../../stores/ports.ts';
import {
  type Collection,
  type CollectionRegistry,
  type Field,
  referenceFields,
  referenceTarget,
} from '../model/collection.ts';
import type { DocumentLimits, RequestContext } from '../model/documents.ts';
import type { ComposeDepth } from '../model/read-parameters.ts';
import {
  type CompositionQuota,
  createNode,
  embedDocument,
  type ReferenceBatch,
  type ReferenceCollector,
  type ReferenceName,
  renderNode,
} from './composition-nodes.ts';
import { type HistoryLoader, mayHaveLongHistory } from './history-loader.ts';
import { outermostPaths, resolveFields, withVisibleId } from './resolve-read.ts';

// A large document that a whole page refers to is sent once per reference.
const MAX_COMPOSED_CHARACTERS = 64 * 1024 * 1024;

type TextsById = ReadonlyMap<string, string>;

export interface Composer {
  /** Composes `documents`, which must have their `_id`. What cannot be resolved stays an id. */
  compose(
    collection: Collection,
    documents: readonly string[],
    context: RequestContext,
    options: ComposeOptions,
  ): MaybePromise<readonly string[]>;
}

interface ComposeOptions {
  readonly levels: Exclude<ComposeDepth, false>;
  /** Where the documents behind the ids are read. Default: the store of the composer. */
  readonly store?: ComposerDeps['store'];
}

interface ComposerDeps {
  readonly store: Pick<DocumentStore, 'findText' | 'findByIds'>;
  readonly histories: HistoryLoader;
  readonly registry: Pick<CollectionRegistry, 'get'>;
  readonly limits: Pick<DocumentLimits, 'composeDepth' | 'composeReferences'>;
}

/** Where the documents behind the ids of a field are read. */
interface ReferenceSource {
  readonly target: Collection;
  /** Always shows `_id`: an object sent back without one would be a new document. */
  readonly projection: Projection | undefined;
  /** The references of these documents are resolved too. */
  readonly isRecursive: boolean;
}

/** One composition. */
interface Composition {
  readonly root: Collection;
  readonly context: RequestContext;
  /** Resolve the references of every document found, too. */
  readonly composeAll: boolean;
  readonly quota: CompositionQuota;
  readonly store: ComposerDeps['store'];
}

/** Ids of one level, and where one query reads their documents. Without a source they stay. */
interface SourcedBatch extends ReferenceBatch {
  readonly source: ReferenceSource | undefined;
}

/** The references of one level, by the queries that resolve them. */
interface Level {
  /** What collects the references in documents of a collection into the batches of the level. */
  collectorFor(collection: Collection): ReferenceCollector;
  batches(): readonly SourcedBatch[];
}

export function createComposer(deps: ComposerDeps): Composer {
  const { histories, registry, limits } = deps;
  const namesOf = createReferenceNames();

  const createLevel = (composition: Composition): Level => {
    const bySource = new Map<string, SourcedBatch>();
    const batchOf = (source: ReferenceSource | undefined) => {
      const key = source && JSON.stringify([source.target.path, source.projection, source.isRecursive]);
      const known = bySource.get(key ?? '');
      if (known !== undefined) return known;
      const batch = { order: bySource.size, source, ids: source && [] };
      bySource.set(key ?? '', batch);
      return batch;
    };
    const byField = new Map<Field, SourcedBatch>();
    return {
      collectorFor: (collection) => ({
        names: namesOf(collection),
        quota: composition.quota,
        batchFor(field) {
          const known = byField.get(field);
          if (known !== undefined) return known;
          const batch = batchOf(resolveSource(field, collection, { ...composition, registry }));
          byField.set(field, batch);
          return batch;
        },
      }),
      batches: () => [...bySource.values()],
    };
  };

  const fetchStored = (
    { target, projection }: ReferenceSource,
    ids: readonly string[],
    { store, context: { deadline } }: Composition,
  ): MaybePromise<TextsById> => {
    if (projection === undefined) return store.findByIds(target.namespace, ids, { deadline });
    const filter = filterByIds([...new Set(ids)]);
    const query = { filter, sort: [], skip: 0, limit: ids.length, projection };
    return andThen(store.findText(target.namespace, query, { deadline }), documentsById);
  };

  /** Finds the texts of documents, with complete histories. */
  const fetchComplete = (source: ReferenceSource, ids: readonly string[], composition: Composition) =>
    andThen(fetchStored(source, ids, composition), (found) => {
      if (!ids.some((id) => mayHaveLongHistory(found.get(id) ?? ''))) return found;
      const stored = [...new Set(ids)].flatMap((id) => found.get(id) ?? []);
      const completing = histories.completeHistories(source.target, stored, composition.context);
      return andThen(completing, documentsById);
    });

  /** Fetches the documents of a batch and puts them in the place of their ids. Adds their own references to `next`. */
  const resolveBatch = (
    { source, ids: references = [] }: SourcedBatch,
    composition: Composition,
    next: Level | undefined,
  ): MaybePromise<void> => {
    if (source === undefined || references.length === 0) return undefined;
    const collector = source.isRecursive ? next?.collectorFor(source.target) : undefined;
    const ids = references.map(({ id }) => id);
    return andThen(fetchComplete(source, ids, composition), (found) =>
      forEachYielding(references, (reference) => {
        const text = found.get(reference.id);
        if (text !== undefined) embedDocument(reference, text, { quota: composition.quota, collector });
      }),
    );
  };

  /** Resolves a level and, up to `depth`, those below it. */
  const resolveLevels = (level: Level, depth: number, composition: Composition): MaybePromise<void> => {
    const batches = level.batches();
    if (batches.length === 0) return undefined;
    const next = depth > 1 ? createLevel(composition) : undefined;
    return andThen(
      forEachInTurn(batches, (batch) => resolveBatch(batch, composition, next)),
      () => next && resolveLevels(next, depth - 1, composition),
    );
  };

  return {
    compose(root, documents, context, { levels, store = deps.store }) {
      const depth = typeof levels === 'number' ? Math.min(levels, limits.composeDepth) : limits.composeDepth;
      if (depth < 1 || namesOf(root).list.length === 0) return documents;
      const quota = { references: limits.composeReferences, characters: MAX_COMPOSED_CHARACTERS };
      const composition = { root, context, composeAll: levels !== true, quota, store };
      const level = createLevel(composition);
      const collector = level.collectorFor(root);
      const creating = mapYielding(documents, (text) =>
        createNode({ text, id: readDocumentId(text), parent: undefined }, collector),
      );
      return andThen(creating, (nodes) =>
        andThen(resolveLevels(level, depth, composition), () => mapYielding(nodes, renderNode)),
      );
    },
  };
}

/** Makes the function that finds the Reference fields of a collection by their names as JSON text. */
function createReferenceNames(): (collection: Collection) => MemberNames<ReferenceName> {
  // A collection is replaced whole when its specification changes.
  const known = new WeakMap<Collection, MemberNames<ReferenceName>>();
  return (collection) => {
    const found = known.get(collection);
    if (found !== undefined) return found;
    const fields = referenceFields(collection);
    const names = memberNames(fields.map((field) => ({ ...memberName(field.name), field })));
    known.set(collection, names);
    return names;
  };
}

type SourceContext = Pick<Composition, 'root' | 'context' | 'composeAll'> & Pick<ComposerDeps, 'registry'>;

/** Undefined where the field refers to no collection, or to one that the caller may not read. */
function resolveSource(
  field: Field,
  collection: Collection,
  { root, registry, context, composeAll }: SourceContext,
): ReferenceSource | undefined {
  const target = referenceTarget(registry, collection, field);
  if (target === undefined || !context.caller.may(target, 'GET')) return undefined;
  const { fields: shownFields, compose = false } = field.reference;
  const isRecursive = composeAll || compose || root.settings.compose || target.settings.compose;
  try {
    const projection =
      shownFields === undefined ? limiterProjection(target) : { include: outermostPaths(shownFields) };
    return { target, isRecursive, projection: withVisibleId(projection).projection };
  } catch (error) {
    // Limiters that contradict themselves fail the reads of their own collection, not of those that refer to it.
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

const limiterProjection = ({ settings }: Collection) =>
  resolveFields(undefined, settings.fieldLimiters).projection;
