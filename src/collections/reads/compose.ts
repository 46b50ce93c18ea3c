// Composes documents: replaces ids by the documents they refer to, level by level, with one query per level and collection.
// `createNode` collects the ids of a document into batches, `resolveBatch` reads the documents of a batch, `embedDocument` puts each
// in the place of its id and, with `createNode`, collects its own ids for the next level. A page that is composed one level
// deep stays one text (`compose-page.ts`).
import {
  andThen,
  forEachInTurn,
  forEachYielding,
  type MaybePromise,
  mapYielding,
} from '../../lib/async/maybe-promise.ts';
import { joinTexts, splitRecords } from '../../lib/chunked-text.ts';
import { documentsById, readDocumentId } from '../../lib/json/stored-json.ts';
import { filterByIds, MATCH_ALL } from '../../stores/filter.ts';
import { type DocumentStore, namespaceKey, type TextPage } from '../../stores/ports.ts';
import { type FilterCompiler, joinFilters } from '../filters/compile.ts';
import {
  type Collection,
  type CollectionRegistry,
  type Field,
  referenceTarget,
} from '../model/collection.ts';
import type { DocumentLimits, RequestContext } from '../model/documents.ts';
import type { ComposeDepth } from '../model/read-parameters.ts';
import { findPageReferences, renderPage } from './compose-page.ts';
import {
  type CompositionQuota,
  createNode,
  embedDocument,
  type ReferenceBatch,
  type ReferenceCollector,
  type ResolvableId,
  renderNode,
} from './composition-nodes.ts';
import { type HistoryLoader, mayHaveLongHistory } from './history-loader.ts';
import {
  createReferenceNames,
  createSourceResolver,
  isRecursive,
  type ReferenceSource,
} from './reference-source.ts';

// A large document that a whole page refers to is sent once per reference.
const MAX_COMPOSED_CHARACTERS = 64 * 1024 * 1024;

/** Documents of which nothing is parsed: putting more into others yields to the event loop. */
const MAX_EMBEDDED_AT_ONCE = 1000;

type TextsById = ReadonlyMap<string, string>;

export interface Composer {
  /** Composes `documents`, which must have their `_id`. What cannot be resolved stays an id. */
  compose(
    collection: Collection,
    documents: readonly string[],
    context: RequestContext,
    options: ComposeOptions,
  ): MaybePromise<readonly string[]>;

  /** False where there is nothing to compose in documents of the collection. */
  mayCompose(collection: Collection, levels: ComposeLevels): boolean;

  /** Composes the documents of a page, joined by record separators. Those of the result are joined by commas. */
  composePage(
    collection: Collection,
    page: TextPage,
    context: RequestContext,
    levels: ComposeLevels,
  ): MaybePromise<TextPage>;
}

export type ComposeLevels = Exclude<ComposeDepth, false>;

interface ComposeOptions {
  readonly levels: ComposeLevels;
  /** Where the documents behind the ids are read. Default: the store of the composer. */
  readonly store?: ComposerDeps['store'];
}

interface ComposerDeps {
  readonly store: Pick<DocumentStore, 'findText' | 'findByIds'>;
  readonly histories: HistoryLoader;
  readonly registry: Pick<CollectionRegistry, 'get'>;
  readonly limits: Pick<DocumentLimits, 'composeDepth' | 'composeReferences'>;
  /** What a collection shows of its namespace; everything unless given. */
  readonly ownDocuments?: FilterCompiler['ownDocuments'];
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
  const { histories, registry, limits, ownDocuments = () => MATCH_ALL } = deps;
  const namesOf = createReferenceNames();
  const resolveSource = createSourceResolver(registry);

  const createLevel = (composition: Composition): Level => {
    const bySource = new Map<string, SourcedBatch>();
    const batchOf = (source: ReferenceSource | undefined) => {
      const key = source?.key ?? '';
      const known = bySource.get(key);
      if (known !== undefined) return known;
      const namespace = source && namespaceKey(source.target.namespace);
      const batch = { order: bySource.size, source, ids: source && [], namespace };
      bySource.set(key, batch);
      return batch;
    };
    const byField = new Map<Field, SourcedBatch>();
    return {
      collectorFor: (collection) => ({
        names: namesOf(collection),
        namespace: namespaceKey(collection.namespace),
        quota: composition.quota,
        batchFor(field) {
          const known = byField.get(field);
          if (known !== undefined) return known;
          const batch = batchOf(resolveSource(field, collection, composition));
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
    const own = ownDocuments(target);
    if (projection === undefined && own === MATCH_ALL) {
      return store.findByIds(target.namespace, ids, { deadline });
    }
    const filter = joinFilters([filterByIds([...new Set(ids)]), own]);
    const query = { filter, sort: [], skip: 0, limit: ids.length, ...(projection && { projection }) };
    return andThen(store.findText(target.namespace, query, { deadline }), documentsById);
  };

  /** Finds the texts of documents, with complete histories, in the order of the ids; undefined where there is none. */
  const fetchComplete = (source: ReferenceSource, ids: readonly string[], composition: Composition) =>
    andThen(fetchStored(source, ids, composition), (stored) => {
      const inOrderOfIds = (found: TextsById) => ids.map((id) => found.get(id));
      const texts = inOrderOfIds(stored);
      if (!texts.some((text) => text !== undefined && mayHaveLongHistory(text))) return texts;
      const distinct = [...new Set(texts)].filter((text) => text !== undefined);
      const completing = histories.completeHistories(source.target, distinct, composition.context);
      return andThen(andThen(completing, documentsById), inOrderOfIds);
    });

  /** Fetches the documents of a batch and puts them in the place of their ids. Adds their own references to `next`. */
  const resolveBatch = (
    { source, ids: references = [] }: SourcedBatch,
    composition: Composition,
    next: Level | undefined,
  ): MaybePromise<void> => {
    if (source === undefined || references.length === 0) return undefined;
    const { quota } = composition;
    const collector = source.isRecursive ? next?.collectorFor(source.target) : undefined;
    const ids = references.map(({ id }) => id);
    return andThen(fetchComplete(source, ids, composition), (texts) => {
      const embed = (reference: ResolvableId, index: number) => {
        const text = texts[index];
        if (text !== undefined) embedDocument(reference, text, { quota, collector });
      };
      if (collector !== undefined || references.length > MAX_EMBEDDED_AT_ONCE) {
        return forEachYielding(references, embed);
      }
      references.forEach(embed);
      return undefined;
    });
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

  const depthOf = (levels: ComposeLevels) =>
    typeof levels === 'number' ? Math.min(levels, limits.composeDepth) : limits.composeDepth;

  const begin = (
    root: Collection,
    context: RequestContext,
    { levels, store = deps.store }: ComposeOptions,
  ): Composition => {
    const quota = { references: limits.composeReferences, characters: MAX_COMPOSED_CHARACTERS };
    return { root, context, composeAll: levels !== true, quota, store };
  };

  const mayCompose: Composer['mayCompose'] = (root, levels) =>
    depthOf(levels) >= 1 && namesOf(root).list.length > 0;

  const compose: Composer['compose'] = (root, documents, context, options) => {
    if (!mayCompose(root, options.levels)) return documents;
    const composition = begin(root, context, options);
    const level = createLevel(composition);
    const collector = level.collectorFor(root);
    const creating = mapYielding(documents, (text) =>
      createNode({ text, id: readDocumentId(text), parent: undefined }, collector),
    );
    return andThen(creating, (nodes) =>
      andThen(resolveLevels(level, depthOf(options.levels), composition), () =>
        mapYielding(nodes, renderNode),
      ),
    );
  };

  /** True if none of the documents that are put into others has references that are resolved too. */
  const isOneLevel = (root: Collection, levels: ComposeLevels) =>
    depthOf(levels) === 1 ||
    namesOf(root).list.every(({ field }) => {
      const target = referenceTarget(registry, root, field);
      if (target === undefined || namesOf(target).list.length === 0) return true;
      return !isRecursive(field, { root, target, composeAll: levels !== true });
    });

  return {
    mayCompose,
    compose,
    composePage(root, page, context, levels) {
      const { text, count } = page;
      const takeApart = () => andThen(compose(root, splitRecords(page), context, { levels }), joinTexts);
      if (typeof text !== 'string' || !isOneLevel(root, levels)) return takeApart();
      const composition = begin(root, context, { levels });
      const level = createLevel(composition);
      const found = findPageReferences(text, level.collectorFor(root));
      if (found === undefined) return takeApart();
      return andThen(resolveLevels(level, 1, composition), () => ({ text: renderPage(found), count }));
    },
  };
}
