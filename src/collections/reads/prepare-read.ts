// Prepares a read for the store: page, order and fields (`resolve-read.ts`), the view of the documents, the filter.
// Prepared reads are remembered by the text of their requests.
import { andThen, attempt, type MaybePromise } from '../../lib/async/maybe-promise.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { createTextCache } from '../../lib/text-cache.ts';
import { createTextKeys } from '../../lib/text-keys.ts';
import { type Filter, MATCH_ALL } from '../../stores/filter.ts';
import type { Projection } from '../../stores/ports.ts';
import type { FilterCompiler } from '../filters/compile.ts';
import { NO_NAMES, type PermittedQuery, type VisibleCollection } from '../model/access.ts';
import type { Collection } from '../model/collection.ts';
import type { DocumentLimits, RequestContext } from '../model/documents.ts';
import type { ComposeDepth, ReadRequest } from '../model/read-parameters.ts';
import { includesField, type PageInfo, resolveReadOptions, withVisibleId } from './resolve-read.ts';
import { revisionView } from './revisions.ts';

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
export interface ReadView extends Pick<ViewOptions, 'compose' | 'revisions'> {
  /** The fields to read: those that the response shows, and those that the steps below need. */
  readonly projection: Projection | undefined;
  /** `_id` was read for the steps below only. */
  readonly hideId: boolean;
}

/** Resolves the view. */
export function createReadView({ projection, compose, revisions, storeRevisions }: ViewOptions): ReadView {
  const needsId = storeRevisions && includesField(projection, 'history');
  if (!compose && revisions === undefined && !needsId) {
    return { projection, compose, revisions, hideId: false };
  }
  const { projection: visible, hideId } = withVisibleId(projection);
  const needsHistory = revisions !== undefined && visible?.include !== undefined;
  return {
    projection: needsHistory ? { ...visible, include: [...visible.include, 'history'] } : visible,
    compose,
    revisions,
    hideId,
  };
}

/** A page of a collection, ready for the store. */
export interface PreparedRead {
  readonly collection: Collection;
  readonly query: PermittedQuery;
  readonly page: PageInfo;
  readonly view: ReadView;
}

/** Makes the query of a page for the store. */
export function toPreparedRead(
  collection: Collection,
  { filter, sort, page, view }: Pick<PermittedQuery, 'filter' | 'sort'> & Pick<PreparedRead, 'page' | 'view'>,
): PreparedRead {
  const { projection } = view;
  const query = { filter, sort, skip: page.offset, limit: page.limit, ...(projection && { projection }) };
  return { collection, query, page, view };
}

/** Compiles a filter on the revisions of a collection. Throws FILTER_INVALID. */
export function compileRevisionFilter(
  filters: Pick<FilterCompiler, 'compileRequested'>,
  collection: Collection,
  filter: JsonObject | undefined,
  context: RequestContext,
): MaybePromise<Filter> {
  return filter === undefined
    ? MATCH_ALL
    : filters.compileRequested(revisionView(collection), filter, context);
}

interface PreparerDeps {
  readonly visible: VisibleCollection;
  readonly filters: FilterCompiler;
  readonly limits: Pick<DocumentLimits, 'pageSize'>;
}

/** Prepares the read of a request. Rejects with PARAMETER_INVALID and FILTER_INVALID. */
export type PrepareRead = (
  collection: Collection,
  request: ReadRequest,
  context: RequestContext,
) => MaybePromise<PreparedRead>;

/** Reads that are remembered, and the characters up to which the request of one is. */
const MAX_PREPARED_READS = 1000;
const MAX_REQUEST_CHARACTERS = 2000;

/** Makes the function that prepares reads. Equal requests give the same object, unless their filter depends on the caller or on documents. */
export function createReadPreparer({ visible, filters, limits }: PreparerDeps): PrepareRead {
  /** Valid for the collection that they were prepared for: it is replaced whole when its specification changes. */
  const preparedReads = createTextCache<PreparedRead>({
    max: MAX_PREPARED_READS,
    maxCharacters: MAX_REQUEST_CHARACTERS,
  });
  const keyOf = createTextKeys();

  return (collection, request, context) => {
    const access = context.caller.access(collection);
    const key = keyOf(access.readKey + collection.path, request);
    const known = preparedReads.get(key);
    if (known?.collection === collection) return known;
    return attempt(() => {
      const shown = visible(collection, access);
      // Hooks see what is hidden; it goes after them.
      const hidden = collection.settings.hooks?.afterGet === undefined ? access.hidden : NO_NAMES;
      const { page, sort, projection } = resolveReadOptions(shown, request, limits.pageSize, hidden);
      const { compose = collection.settings.compose, includeHistory, historyFilters } = request;
      const revisionFields = () =>
        resolveReadOptions(revisionView(shown), request, limits.pageSize, access.hidden).projection;
      // Compiled even where no revision is read: an invalid filter is always an error.
      return andThen(
        compileRevisionFilter(filters, collection, historyFilters, context),
        (revisionFilter) => {
          const revisions =
            includeHistory === true && access.history !== null
              ? { filter: revisionFilter, projection: revisionFields() }
              : undefined;
          const { storeRevisions } = collection.settings;
          const view = createReadView({ projection, compose, revisions, storeRevisions });
          return andThen(
            filters.compileRead(collection, request.filter, context),
            ({ filter, isReusable }) => {
              const read = toPreparedRead(collection, { filter, sort, page, view });
              if (isReusable && historyFilters === undefined) preparedReads.set(key, read);
              return read;
            },
          );
        },
      );
    });
  };
}
