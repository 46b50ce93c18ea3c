// Reads a page that is prepared: the stored documents, what the response makes of them (complete histories, revisions, composition,
// hidden ids), and how many match in all.

import { andThen, both, type MaybePromise, mapYielding } from '../../lib/async/maybe-promise.ts';
import { joinTexts, RECORD_SEPARATOR, splitTexts } from '../../lib/chunked-text.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { documentVersion, parseStoredJson } from '../../lib/json/stored-json.ts';
import { MATCH_ALL } from '../../stores/filter.ts';
import type {
  OperationOptions,
  PageOptions,
  Projection,
  StoredDocument,
  TextPage,
} from '../../stores/ports.ts';
import type { PermittedFilter, PermittedQuery, PermittedStore } from '../model/access.ts';
import type { Collection, CollectionRegistry } from '../model/collection.ts';
import type { ReadPage, RequestContext } from '../model/documents.ts';
import type { ComposeLevels, Composer } from './compose.ts';
import { type HistoryLoader, mayHaveLongHistory } from './history-loader.ts';
import type { PreparedRead, ReadView } from './prepare-read.ts';
import { pageMetadata, withVisibleId } from './resolve-read.ts';
import { includeRevisions } from './revisions.ts';

/** Turns the stored documents, as JSON text, into those of the response. */
type Enrich = (
  collection: Collection,
  stored: readonly string[],
  view: ReadView,
  context: RequestContext,
) => MaybePromise<readonly string[]>;

interface EnrichDeps {
  readonly registry: Pick<CollectionRegistry, 'list'>;
  readonly store: Pick<PermittedStore, 'findText'>;
  readonly histories: HistoryLoader;
  readonly composer: Pick<Composer, 'compose'>;
  readonly maxRevisions: number;
}

export function createEnrich({ store, registry, histories, composer, maxRevisions }: EnrichDeps): Enrich {
  const embedRevisions = async (
    collection: Collection,
    documents: readonly string[],
    { filter, projection }: NonNullable<ReadView['revisions']>,
    context: RequestContext,
  ) => {
    const parsed = await mapYielding(documents, parseStoredJson<JsonObject>);
    const shown = withVisibleId(projection);
    const options = { store, registry, limit: maxRevisions, filter, ...shown };
    const embedded = await includeRevisions(collection, parsed, options, context);
    return mapYielding(embedded, (document) => JSON.stringify(document));
  };

  return (collection, stored, { compose, revisions, hideId }, context) => {
    const complete = histories.completeHistories(collection, stored, context);
    const embedded = andThen(complete, (texts) =>
      revisions === undefined ? texts : embedRevisions(collection, texts, revisions, context),
    );
    const composed = andThen(embedded, (texts) =>
      compose ? composer.compose(collection, texts, context, { levels: compose }) : texts,
    );
    return andThen(composed, (texts) => (hideId ? mapYielding(texts, withoutId) : texts));
  };
}

function withoutId(text: string): string {
  const { _id, ...rest } = parseStoredJson(text);
  return JSON.stringify(rest);
}

/** What was found for a page, with its metadata. */
type WithMetadata<T> = T & Pick<ReadPage, 'metadata'>;

const ONLY_VERSION: Projection = { include: ['v'] };

/** What a store takes from a context. It can be sent to another thread. */
export function toStoreOptions({ deadline }: RequestContext): OperationOptions {
  return { deadline };
}

const hasLongHistory = ({ text }: TextPage) =>
  typeof text === 'string' ? mayHaveLongHistory(text) : text.some(mayHaveLongHistory);

interface PageReaderDeps extends EnrichDeps {
  readonly store: PermittedStore;
  readonly composer: Composer;
}

export type PageReader = ReturnType<typeof createPageReader>;

export function createPageReader(deps: PageReaderDeps) {
  const { store, composer } = deps;
  const enrich = createEnrich(deps);
  /** Collections whose plain page once held a long history: from then on read document by document. */
  const longHistoryCollections = new WeakSet<Collection>();

  /** Reads a page with its metadata. */
  const readPage = (read: PreparedRead, context: RequestContext): MaybePromise<ReadPage> =>
    addMetadata(read, readJoined(read, context), context);

  /** Reads the documents as one text, which is taken apart only where something must be put into single ones. */
  const readJoined = (read: PreparedRead, context: RequestContext): MaybePromise<TextPage> => {
    const { collection } = read;
    const { compose, revisions, hideId } = read.view;
    if (revisions !== undefined || hideId || longHistoryCollections.has(collection)) {
      return andThen(readTexts(read, context), joinTexts);
    }
    return compose && composer.mayCompose(collection, compose)
      ? readComposed(read, compose, context)
      : readPlain(read, context);
  };

  /** The page of the store is that of the response. */
  const readPlain = (read: PreparedRead, context: RequestContext): MaybePromise<TextPage> => {
    const { collection, query } = read;
    return andThen(store.findPage(collection.namespace, query, toStoreOptions(context)), (page) => {
      if (!hasLongHistory(page)) return page;
      longHistoryCollections.add(collection);
      return readJoined(read, context);
    });
  };

  const readComposed = (
    { collection, query, view }: PreparedRead,
    levels: ComposeLevels,
    context: RequestContext,
  ): MaybePromise<TextPage> => {
    const options: PageOptions = { ...toStoreOptions(context), separator: RECORD_SEPARATOR };
    return andThen(store.findPage(collection.namespace, query, options), (page) =>
      hasLongHistory(page)
        ? andThen(enrich(collection, splitTexts(page), view, context), joinTexts)
        : composer.composePage(collection, page, context, levels),
    );
  };

  /** Reads the documents, each as the response shows it. */
  const readTexts = (
    { collection, query, view }: PreparedRead,
    context: RequestContext,
  ): MaybePromise<readonly string[]> =>
    andThen(store.findText(collection.namespace, query, toStoreOptions(context)), (stored) =>
      enrich(collection, stored, view, context),
    );

  /** Adds the metadata of a page to what was found for it. */
  const addMetadata = <T extends { readonly count: number }>(
    { collection, query, page }: PreparedRead,
    reading: MaybePromise<T>,
    context: RequestContext,
  ): MaybePromise<WithMetadata<T>> => {
    const countMatches = () => store.count(collection.namespace, query.filter, toStoreOptions(context));
    // Nearly every page of a whole collection is full, so its total is counted at the same time.
    const counting = query.filter === MATCH_ALL ? countMatches() : undefined;
    return andThen(both(reading, counting), ([found, counted]) => {
      const { count } = found;
      // A page that is not full is the last one, and its end is the number of matches.
      const isLast = count < page.limit && (count > 0 || page.offset === 0);
      // Other requests may write between the page and the count: what the page shows counts.
      const end = count === 0 ? 0 : page.offset + count;
      return andThen(isLast ? end : (counted ?? countMatches()), (total) => ({
        ...found,
        metadata: pageMetadata(page, Math.max(end, total)),
      }));
    });
  };

  /** Reads parsed documents. */
  const readDocuments = (
    { namespace }: Collection,
    query: Pick<PermittedQuery, 'filter' | 'limit' | 'projection'> & Partial<PermittedQuery>,
    context: RequestContext,
  ): Promise<readonly StoredDocument[]> =>
    store.find(namespace, { sort: [], skip: 0, ...query }, toStoreOptions(context));

  /** Reads the `v` of a document; undefined where there is no match. */
  const readVersion = async (collection: Collection, filter: PermittedFilter, context: RequestContext) => {
    const [document] = await readDocuments(
      collection,
      { filter, limit: 1, projection: ONLY_VERSION },
      context,
    );
    return document && documentVersion(document);
  };

  return { readPage, readTexts, enrich, addMetadata, readDocuments, readVersion };
}
