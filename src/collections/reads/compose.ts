// Composes documents: replaces ids by the documents they refer to, level by level, with one query per level and collection.
// `find` (`composed-documents.ts`) collects the ids in a text into batches, `resolveBatch` reads the documents of a batch and puts
// each in the place of its id, where their own ids are found for the next level. Then texts are rendered, the innermost first.
import {
  andThen,
  forEachInTurn,
  forEachYielding,
  type MaybePromise,
  mapYielding,
} from '../../lib/async/maybe-promise.ts';
import { joinTexts, splitTexts } from '../../lib/chunked-text.ts';
import { documentsById } from '../../lib/json/stored-json.ts';
import { filterByIds, MATCH_ALL } from '../../stores/filter.ts';
import { namespaceKey, type TextPage } from '../../stores/ports.ts';
import type { FilterCompiler } from '../filters/compile.ts';
import { narrowFilter, type PermittedStore, permit } from '../model/access.ts';
import type { Collection, CollectionRegistry, Field } from '../model/collection.ts';
import type { DocumentLimits, RequestContext } from '../model/documents.ts';
import type { ComposeDepth } from '../model/read-parameters.ts';
import {
  type ComposedDocument,
  type CompositionQuota,
  createReferenceFinder,
  embedDocument,
  type FindReferences,
  type ReferenceBatch,
  renderDocument,
  renderEmbedded,
} from './composed-documents.ts';
import { type HistoryLoader, mayHaveLongHistory } from './history-loader.ts';
import { createReferenceNames, createSourceResolver, type ReferenceSource } from './reference-source.ts';
import { withoutHidden } from './resolve-read.ts';

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
  readonly store: Pick<PermittedStore, 'findText' | 'findByIds'>;
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
  /** Documents in the place of ids, with references themselves: each behind those around it. */
  readonly embedded: ComposedDocument[];
}

/** Ids of one level, and where one query reads their documents. Without a source they stay. */
interface SourcedBatch extends ReferenceBatch {
  readonly source: ReferenceSource | undefined;
}

/** The references of one level, by the queries that resolve them. */
interface Level {
  /** What finds the references in documents of a collection, for the batches of the level. */
  finderFor(collection: Collection): FindReferences;
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
      const batch = { order: bySource.size, source, references: source && [], namespace };
      bySource.set(key, batch);
      return batch;
    };
    const byField = new Map<Field, SourcedBatch>();
    return {
      finderFor: (collection) =>
        createReferenceFinder({
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
    { store, context: { caller, deadline } }: Composition,
  ): MaybePromise<TextsById> => {
    const access = caller.access(target);
    const shown = withoutHidden(projection, access.hidden);
    const own = permit(access, 'read', ownDocuments(target));
    if (shown === undefined && own === MATCH_ALL) {
      return store.findByIds(target.namespace, ids, { deadline });
    }
    const filter = narrowFilter(own, filterByIds([...new Set(ids)]));
    const query = { filter, sort: [], skip: 0, limit: ids.length, ...(shown && { projection: shown }) };
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

  /** Fetches the documents of a batch and puts them in the place of their ids. Finds their own references for `next`. */
  const resolveBatch = (
    { source, references = [] }: SourcedBatch,
    composition: Composition,
    next: Level | undefined,
  ): MaybePromise<void> => {
    if (source === undefined || references.length === 0) return undefined;
    const { quota, embedded } = composition;
    const find = source.isRecursive ? next?.finderFor(source.target) : undefined;
    const ids = references.map(({ id }) => id);
    return andThen(fetchComplete(source, ids, composition), (texts) =>
      forEachYielding(references, (reference, index) => {
        const text = texts[index];
        if (!embedDocument(reference, text, quota)) return;
        // One with references itself: when these are resolved, `renderEmbedded` puts it in the place of its id.
        const document = find?.(text, reference).find(({ values }) => values.length > 0);
        if (document !== undefined) embedded.push(document);
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

  const depthOf = (levels: ComposeLevels) =>
    typeof levels === 'number' ? Math.min(levels, limits.composeDepth) : limits.composeDepth;

  const mayCompose: Composer['mayCompose'] = (root, levels) =>
    depthOf(levels) >= 1 && namesOf(root).length > 0;

  const compose: Composer['compose'] = (root, texts, context, { levels, store = deps.store }) => {
    const composition: Composition = {
      root,
      context,
      composeAll: levels !== true,
      quota: { references: limits.composeReferences, characters: MAX_COMPOSED_CHARACTERS },
      store,
      embedded: [],
    };
    const first = createLevel(composition);
    const find = first.finderFor(root);
    return andThen(
      mapYielding(texts, (text) => find(text)),
      (found) =>
        andThen(resolveLevels(first, depthOf(levels), composition), () =>
          andThen(forEachYielding(composition.embedded.toReversed(), renderEmbedded), () =>
            mapYielding(found.flat(), renderDocument),
          ),
        ),
    );
  };

  return {
    mayCompose,
    compose: (root, documents, context, options) =>
      mayCompose(root, options.levels) ? compose(root, documents, context, options) : documents,
    composePage: (root, page, context, levels) =>
      andThen(
        compose(root, typeof page.text === 'string' ? [page.text] : splitTexts(page), context, { levels }),
        joinTexts,
      ),
  };
}
