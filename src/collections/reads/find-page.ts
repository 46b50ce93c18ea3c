// Finds a page of documents: reads it, makes of it what the response shows, and counts all matches.
import { andThen, both, type MaybePromise } from '../../lib/async/maybe-promise.ts';
import { joinByComma } from '../../lib/chunked-text.ts';
import { documentVersion } from '../../lib/document-version.ts';
import { type Filter, MATCH_ALL } from '../../stores/filter.ts';
import type {
  DocumentStore,
  FindQuery,
  OperationOptions,
  Projection,
  StoredDocument,
  TextPage,
} from '../../stores/ports.ts';
import type { Collection } from '../model/collection.ts';
import type { ReadPage, RequestContext } from '../model/documents.ts';
import type { Enrich, ReadView } from './enrich.ts';
import { mayHaveLongHistory } from './history-loader.ts';
import { type PageInfo, pageMetadata } from './page-metadata.ts';

/** A page of a collection, ready for the store. Reads of the same object are the same for the store, too. */
export interface PreparedRead {
  readonly collection: Collection;
  readonly query: FindQuery;
  readonly page: PageInfo;
  readonly view: ReadView;
}

/** What was found for a page, with its metadata. */
type WithMetadata<T> = T & Pick<ReadPage, 'metadata'>;

const ONLY_VERSION: Projection = { include: ['v'] };

/** What a store takes from a context. It can be sent to another thread. */
export function toOperationOptions({ deadline }: RequestContext): OperationOptions {
  return { deadline };
}

/** Prepares a page for the store. */
export function prepareRead(
  collection: Collection,
  { filter, sort, page, view }: Pick<FindQuery, 'filter' | 'sort'> & Pick<PreparedRead, 'page' | 'view'>,
): PreparedRead {
  const { projection } = view;
  const query = { filter, sort, skip: page.offset, limit: page.limit, ...(projection && { projection }) };
  return { collection, query, page, view };
}

/** Documents of a response as one text. */
export function joinTexts(texts: readonly string[]): TextPage {
  return { text: joinByComma(texts), count: texts.length };
}

export type PageFinder = ReturnType<typeof createPageFinder>;

export function createPageFinder({
  store,
  enrich,
}: {
  readonly store: DocumentStore;
  readonly enrich: Enrich;
}) {
  /** Collections of which a plain page held histories: the documents of their pages are read one by one. */
  const withHistories = new WeakSet<Collection>();

  /** Finds the documents of a page, each as the response shows it. */
  const findTexts = (
    { collection, query, view }: PreparedRead,
    context: RequestContext,
  ): MaybePromise<readonly string[]> =>
    andThen(store.findText(collection.namespace, query, toOperationOptions(context)), (stored) =>
      enrich(collection, stored, view, context),
    );

  const findResults = (read: PreparedRead, context: RequestContext): MaybePromise<TextPage> => {
    const { collection, query, view } = read;
    if (!view.isPlain || withHistories.has(collection)) {
      return andThen(findTexts(read, context), joinTexts);
    }
    return andThen(store.findPage(collection.namespace, query, toOperationOptions(context)), (page) => {
      if (![page.text].flat().some(mayHaveLongHistory)) return page;
      withHistories.add(collection);
      return findResults(read, context);
    });
  };

  /** Adds the metadata of a page to what was found for it. */
  const addMetadata = <T extends { readonly count: number }>(
    { collection, query, page }: PreparedRead,
    finding: MaybePromise<T>,
    context: RequestContext,
  ): MaybePromise<WithMetadata<T>> => {
    const countMatches = () => store.count(collection.namespace, query.filter, toOperationOptions(context));
    // Nearly every page of a whole collection is full, so its total is counted at the same time.
    const counting = query.filter === MATCH_ALL ? countMatches() : undefined;
    return andThen(both(finding, counting), ([found, counted]) => {
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

  /** Finds parsed documents. */
  const find = (
    { namespace }: Collection,
    query: Pick<FindQuery, 'filter' | 'limit' | 'projection'> & Partial<FindQuery>,
    context: RequestContext,
  ): Promise<readonly StoredDocument[]> =>
    store.find(namespace, { sort: [], skip: 0, ...query }, toOperationOptions(context));

  const findVersion = async (collection: Collection, filter: Filter, context: RequestContext) => {
    const [document] = await find(collection, { filter, limit: 1, projection: ONLY_VERSION }, context);
    return document && documentVersion(document);
  };

  return {
    find,
    findTexts,
    /** Finds the `v` of a document; undefined where there is no match. */
    findVersion,
    addMetadata,
    /** Finds a page with its metadata. */
    findPage: (read: PreparedRead, context: RequestContext): MaybePromise<ReadPage> =>
      addMetadata(read, findResults(read, context), context),
  };
}
