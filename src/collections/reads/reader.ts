// Reads documents: lists, single documents, counts and revisions. Each read is told top to bottom: `beforeGet`, options,
// filter, find, enrich, metadata, `afterGet`.

import { AppError } from '../../errors/errors.ts';
import { andThen, type MaybePromise } from '../../lib/async/maybe-promise.ts';
import { joinTexts } from '../../lib/chunked-text.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { documentVersion, parseStoredJson } from '../../lib/json/stored-json.ts';
import { type Filter, filterById, MATCH_ALL } from '../../stores/filter.ts';
import type { DocumentStore, FindQuery, Projection } from '../../stores/ports.ts';
import { type FilterCompiler, joinFilters } from '../filters/compile.ts';
import type { HookDeps } from '../hooks/document-hooks.ts';
import type { Collection } from '../model/collection.ts';
import type { DocumentLimits, DocumentService, RequestContext, SinglePage } from '../model/documents.ts';
import type { ReadRequest } from '../model/read-parameters.ts';
import { HISTORY_BLOCK_SIZE, revisionIds, revisionsFilter } from '../model/stored-document.ts';
import {
  createPageFinder,
  createReadView,
  type Enrich,
  type PageFinder,
  type PreparedRead,
  prepareRead,
  toStoreOptions,
} from './find-page.ts';
import { withReadHooks } from './read-hooks.ts';
import {
  countMetadata,
  includesField,
  pageMetadata,
  resolvePageSize,
  resolveReadOptions,
  withVisibleId,
} from './resolve-read.ts';
import { revisionView, withEarlierIds } from './revisions.ts';

export type DocumentReader = Pick<DocumentService, 'list' | 'get' | 'count' | 'history'>;

interface ReaderDeps extends HookDeps {
  readonly store: DocumentStore;
  readonly filters: FilterCompiler;
  readonly enrich: Enrich;
  readonly limits: DocumentLimits;
}

// `v` and `_id` are the last members of every document that this server wrote.
const DOCUMENT_TAIL = /[,{]"v":(\d{1,15}),"_id":"[^"\\]*"\}$/y;

export function createReader(deps: ReaderDeps): DocumentReader {
  const { store, filters, enrich, limits } = deps;
  const pages = createPageFinder({ store, enrich });

  /** Valid for the collection that they were prepared for: it is replaced whole when its specification changes. */
  const preparedReads = new WeakMap<ReadRequest, PreparedRead>();

  const prepare = (
    collection: Collection,
    request: ReadRequest,
    context: RequestContext,
  ): MaybePromise<PreparedRead> => {
    const known = preparedReads.get(request);
    if (known?.collection === collection) return known;
    const { page, sort, projection } = resolveReadOptions(collection, request, limits.pageSize);
    const { compose = collection.settings.compose, includeHistory, historyFilters } = request;
    const revisionFields = () =>
      resolveReadOptions(revisionView(collection), request, limits.pageSize).projection;
    // Compiled even where no revision is read: an invalid filter is always an error.
    return andThen(compileRevisionFilter(filters, collection, historyFilters, context), (revisionFilter) => {
      const revisions =
        includeHistory === true ? { filter: revisionFilter, projection: revisionFields() } : undefined;
      const { storeRevisions } = collection.settings;
      const view = createReadView({ projection, compose, revisions, storeRevisions });
      return andThen(filters.compileRead(collection, request.filter, context), ({ filter, isReusable }) => {
        const read = prepareRead(collection, { filter, sort, page, view });
        if (isReusable && historyFilters === undefined) preparedReads.set(request, read);
        return read;
      });
    });
  };

  const findOne = (
    collection: Collection,
    id: string,
    request: ReadRequest,
    context: RequestContext,
  ): MaybePromise<SinglePage> =>
    andThen(prepare(collection, request, context), (prepared) => {
      const filter = joinFilters([filterById(id), prepared.query.filter]);
      const page = { ...prepared.page, offset: 0, page: 1 };
      const read = { ...prepared, query: { ...prepared.query, filter, skip: 0 }, page };
      // A whole document holds its `v`. Else it is read first: after a write in between, a stale `v` refuses more, never less.
      const isWhole = read.view.projection === undefined;
      return andThen(isWhole ? undefined : pages.findVersion(collection, filter, context), (versionBefore) =>
        andThen(store.findText(collection.namespace, read.query, toStoreOptions(context)), (stored) =>
          andThen(enrich(collection, stored, read.view, context), (texts) => {
            const metadata = pageMetadata(page, texts.length);
            const [text] = stored;
            if (text === undefined) return { ...joinTexts(texts), metadata, v: undefined };
            return { ...joinTexts(texts), metadata, v: isWhole ? readVersion(text) : versionBefore };
          }),
        ),
      );
    });

  const findHistory = createHistoryReader({ store, filters, limits, pages });

  return {
    list: (collection, request, context) =>
      withReadHooks(deps, { collection, context }, (hooks) =>
        andThen(hooks.before(request), (changed) =>
          andThen(prepare(collection, changed, hooks.context), (read) =>
            andThen(pages.findPage(read, hooks.context), hooks.after),
          ),
        ),
      ),

    get: (collection, id, request, context) =>
      withReadHooks(deps, { collection, context }, (hooks) =>
        andThen(hooks.beforeOne(id, request), (changed) =>
          andThen(findOne(collection, id, changed, hooks.context), (found) => {
            if (found.count === 0) return found;
            return andThen(hooks.after(found), (page) => ({
              ...page,
              v: page.count === 0 ? undefined : found.v,
            }));
          }),
        ),
      ),

    count: (collection, request, context) =>
      withReadHooks(deps, { collection, context }, (hooks) =>
        andThen(hooks.before(request), (changed) =>
          andThen(compileRevisionFilter(filters, collection, changed.historyFilters, hooks.context), () =>
            andThen(filters.compileRead(collection, changed.filter, hooks.context), ({ filter }) =>
              andThen(store.count(collection.namespace, filter, toStoreOptions(hooks.context)), (total) =>
                countMetadata(resolvePageSize(collection, changed, limits.pageSize), total),
              ),
            ),
          ),
        ),
      ),

    history: async (collection, id, request, context) =>
      withReadHooks(deps, { collection, context }, async (hooks) => {
        if (hooks.hasBefore) {
          // Revisions hold what the document held: only those who may see the document may see them.
          const { filter = {} } = await hooks.beforeOne(id, {});
          const document = await findOne(collection, id, { filter }, hooks.context);
          if (document.v === undefined) throw new AppError('DOCUMENT_NOT_FOUND');
        }
        return hooks.after(await findHistory(collection, id, request, hooks.context));
      }),
  };
}

function readVersion(text: string): number {
  DOCUMENT_TAIL.lastIndex = Math.max(0, text.lastIndexOf('"v":') - 1);
  const tail = DOCUMENT_TAIL.exec(text);
  return tail === null ? documentVersion(parseStoredJson(text)) : Number(tail[1]);
}

interface HistoryReaderDeps extends Pick<ReaderDeps, 'store' | 'filters' | 'limits'> {
  readonly pages: PageFinder;
}

const ONLY_HISTORY: Projection = { include: ['v', 'history'] };
const ONLY_ID: Projection = { include: [] };

/** Compiles a filter on the revisions of a collection. Throws FILTER_INVALID. */
function compileRevisionFilter(
  filters: Pick<FilterCompiler, 'compile'>,
  collection: Collection,
  filter: JsonObject | undefined,
  context: RequestContext,
): MaybePromise<Filter> {
  return filter === undefined ? MATCH_ALL : filters.compile(revisionView(collection), filter, context);
}

/** Makes the function that finds a page of the revisions of one document, also of one that was deleted. Hooks have run. */
function createHistoryReader({
  store,
  filters,
  limits,
  pages,
}: HistoryReaderDeps): DocumentService['history'] {
  /** The ids of the first revisions of a document. `present` is the document, undefined when it was deleted. */
  const findFirstRevisionIds = async (
    revisions: Collection,
    { id, present }: { readonly id: string; readonly present: JsonObject | undefined },
    context: RequestContext,
  ): Promise<readonly Json[]> => {
    if (present !== undefined) return revisionIds(present).slice(0, HISTORY_BLOCK_SIZE);
    const query: FindQuery = {
      filter: revisionsFilter(id),
      sort: [['v', 1]],
      skip: 0,
      limit: HISTORY_BLOCK_SIZE,
      projection: ONLY_ID,
    };
    return (await pages.find(revisions, query, context)).map(({ _id }) => _id);
  };

  /** Finds a document whose revisions are read; undefined when it was deleted. Throws DOCUMENT_NOT_FOUND for a hidden one. */
  const findPresent = async (
    collection: Collection,
    { id, defaults }: { readonly id: string; readonly defaults: Filter },
    context: RequestContext,
  ): Promise<JsonObject | undefined> => {
    const byId = { filter: filterById(id), limit: 1, projection: ONLY_HISTORY };
    const [present] = await pages.find(collection, byId, context);
    if (present === undefined || defaults === MATCH_ALL) return present;
    const visible = await pages.findVersion(collection, joinFilters([filterById(id), defaults]), context);
    if (visible === undefined) throw new AppError('DOCUMENT_NOT_FOUND');
    return present;
  };

  return async (collection, id, request, context) => {
    const { filter: requested, historyFilters, compose = false, ...rest } = request;
    const narrowing = await Promise.all([
      compileRevisionFilter(filters, collection, requested, context),
      compileRevisionFilter(filters, collection, historyFilters, context),
    ]);
    const defaults = await filters.compileDefaults(collection, context);
    const present = await findPresent(collection, { id, defaults }, context);
    const revisions = revisionView(collection);
    const { page, sort, projection } = resolveReadOptions(revisions, rest, limits.pageSize);
    const { storeRevisions } = collection.settings;
    // The state of a deleted document is known from its revisions only.
    const own = joinFilters([revisionsFilter(id), present === undefined ? defaults : undefined]);
    const countOwn = () => store.count(revisions.namespace, own, toStoreOptions(context));
    if (present === undefined && !(storeRevisions && (await countOwn()) > 0)) {
      throw new AppError('DOCUMENT_NOT_FOUND');
    }
    if (!storeRevisions) return { text: '', count: 0, metadata: pageMetadata(page, 0) };
    const filter = joinFilters([own, ...narrowing]);
    const showsHistory = includesField(projection, 'history');
    const { projection: visible, hideId } = withVisibleId(projection);
    const view = createReadView({
      projection: showsHistory ? visible : projection,
      compose,
      revisions: undefined,
      storeRevisions,
    });
    const read = prepareRead(revisions, { filter, sort, page, view });
    if (!showsHistory) return pages.findPage(read, context);
    const finding = andThen(pages.findTexts(read, context), (texts) => ({ texts, count: texts.length }));
    const [{ texts, metadata }, firstIds] = await Promise.all([
      pages.addMetadata(read, finding, context),
      findFirstRevisionIds(revisions, { id, present }, context),
    ]);
    return { ...joinTexts(await withEarlierIds(texts, firstIds, hideId)), metadata };
  };
}
