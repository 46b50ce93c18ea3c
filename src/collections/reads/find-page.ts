// Finds a page of documents: reads it, turns the stored documents into those of the response (complete histories, revisions,
// composition, hidden ids), and counts all matches.

import { andThen, both, type MaybePromise, mapYielding } from '../../lib/async/maybe-promise.ts';
import { joinTexts } from '../../lib/chunked-text.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { documentVersion, parseStoredJson } from '../../lib/json/stored-json.ts';
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
import type { ComposeDepth } from '../model/read-parameters.ts';
import type { Composer } from './compose.ts';
import { type HistoryLoader, mayHaveLongHistory } from './history-loader.ts';
import { includesField, type PageInfo, pageMetadata, withVisibleId } from './resolve-read.ts';
import { includeRevisions } from './revisions.ts';

interface ViewOptions {
  /** The fields that the response shows. */
  readonly projection: Projection | undefined;
  readonly compose: ComposeDepth;
  /** The revisions that replace their ids, and the fields to show of them; undefined leaves the ids. */
  readonly revisions: { readonly filter: Filter; readonly projection: Projection | undefined } | undefined;
  /** The documents may have more revisions than they hold ids of. */
  readonly storeRevisions: boolean;
}

/** What to read and what to make of it. */
interface ReadView extends Pick<ViewOptions, 'compose' | 'revisions'> {
  /** The fields to read: those that the response shows, and those that the steps below need. */
  readonly projection: Projection | undefined;
  /** `_id` was read for the steps below only. */
  readonly hideId: boolean;
  /** The documents are shown as they are stored, but for long histories. */
  readonly isPlain: boolean;
}

/** Resolves the view. Plain views read what the response shows, so that the text of the store passes unparsed. */
export function createReadView({ projection, compose, revisions, storeRevisions }: ViewOptions): ReadView {
  const needsId = storeRevisions && includesField(projection, 'history');
  if (!compose && revisions === undefined && !needsId) {
    return { projection, compose, revisions, hideId: false, isPlain: true };
  }
  const { projection: visible, hideId } = withVisibleId(projection);
  const needsHistory = revisions !== undefined && visible?.include !== undefined;
  return {
    projection: needsHistory ? { ...visible, include: [...visible.include, 'history'] } : visible,
    compose,
    revisions,
    hideId,
    isPlain: false,
  };
}

/** Turns the stored documents, as JSON text, into those of the response. */
export type Enrich = (
  collection: Collection,
  stored: readonly string[],
  view: ReadView,
  context: RequestContext,
) => MaybePromise<readonly string[]>;

interface EnrichDeps {
  readonly store: Pick<DocumentStore, 'findText'>;
  readonly histories: HistoryLoader;
  readonly composer: Pick<Composer, 'compose'>;
  readonly maxRevisions: number;
}

export function createEnrich({ store, histories, composer, maxRevisions }: EnrichDeps): Enrich {
  const embedRevisions = async (
    collection: Collection,
    documents: readonly string[],
    { filter, projection }: NonNullable<ReadView['revisions']>,
    context: RequestContext,
  ) => {
    const parsed = await mapYielding(documents, parseStoredJson<JsonObject>);
    const options = { store, limit: maxRevisions, filter, ...withVisibleId(projection) };
    const embedded = await includeRevisions(collection, parsed, options, context);
    return mapYielding(embedded, (document) => JSON.stringify(document));
  };

  return (collection, stored, { compose, revisions, hideId }, context) => {
    const complete = histories.completeHistories(collection, stored, context);
    const embedded = andThen(complete, (texts) =>
      revisions === undefined ? texts : embedRevisions(collection, texts, revisions, context),
    );
    const composed = andThen(embedded, (texts) =>
      compose ? composer.compose(collection, texts, context, compose) : texts,
    );
    return andThen(composed, (texts) => (hideId ? mapYielding(texts, withoutId) : texts));
  };
}

function withoutId(text: string): string {
  const { _id, ...rest } = parseStoredJson(text);
  return JSON.stringify(rest);
}

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
export function toStoreOptions({ deadline }: RequestContext): OperationOptions {
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
    andThen(store.findText(collection.namespace, query, toStoreOptions(context)), (stored) =>
      enrich(collection, stored, view, context),
    );

  const findResults = (read: PreparedRead, context: RequestContext): MaybePromise<TextPage> => {
    const { collection, query, view } = read;
    if (!view.isPlain || withHistories.has(collection)) {
      return andThen(findTexts(read, context), joinTexts);
    }
    return andThen(store.findPage(collection.namespace, query, toStoreOptions(context)), (page) => {
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
    const countMatches = () => store.count(collection.namespace, query.filter, toStoreOptions(context));
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
    store.find(namespace, { sort: [], skip: 0, ...query }, toStoreOptions(context));

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
