// Reads documents: lists, single documents, counts and revisions. Each read is told top to bottom: `beforeGet`, options,
// filter, find, enrich, metadata, `afterGet`.
import { AppError } from '../../errors/errors.ts';
import { documentVersion } from '../../lib/document-version.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { parseStoredJson } from '../../lib/json/stored-json.ts';
import { type Filter, filterById, MATCH_ALL } from '../../stores/filter.ts';
import type { DocumentStore, FindQuery, OperationOptions, Projection } from '../../stores/ports.ts';
import { type FilterCompiler, joinFilters } from '../filters/compile.ts';
import type { HookDeps } from '../hooks/hook-session.ts';
import type { Collection } from '../model/collection.ts';
import type { DocumentLimits, DocumentService, Page, RequestContext } from '../model/documents.ts';
import { HISTORY_BLOCK_SIZE, revisionIds } from '../model/history-blocks.ts';
import type { ReadRequest } from '../model/read-request.ts';
import { revisionsFilter } from '../model/revision-namespace.ts';
import { createReadView, type Enrich, type ReadView } from './enrich.ts';
import { countMetadata, type PageInfo, pageMetadata } from './page-metadata.ts';
import { includesField, withVisibleId } from './projection.ts';
import { openReadHooks } from './read-hooks.ts';
import { type ReadOptions, resolvePageSize, resolveReadOptions } from './read-options.ts';
import { revisionView, withEarlierIds } from './revisions.ts';

export type DocumentReader = Pick<DocumentService, 'list' | 'get' | 'count' | 'history'>;

interface ReaderDeps extends HookDeps {
  readonly store: DocumentStore;
  readonly filters: FilterCompiler;
  readonly enrich: Enrich;
  readonly limits: DocumentLimits;
}

/** A page of a collection, ready for the store. */
interface PreparedRead {
  readonly collection: Collection;
  readonly filter: Filter;
  readonly sort: ReadOptions['sort'];
  readonly page: PageInfo;
  readonly view: ReadView;
}

// `v` and `_id` are the last members of every document that this server wrote.
const DOCUMENT_TAIL = /[,{]"v":(\d{1,15}),"_id":"[^"\\]*"\}$/;
const MAX_TAIL_CHARACTERS = 80;
const ONLY_VERSION: Projection = { include: ['v'] };
const ONLY_HISTORY: Projection = { include: ['v', 'history'] };
const ONLY_ID: Projection = { include: [] };

/** What a store takes from a context. It can be sent to another thread. */
export function toOperationOptions({ deadline }: RequestContext): OperationOptions {
  return { deadline };
}

export function createReader(deps: ReaderDeps): DocumentReader {
  const { store, filters, enrich, limits } = deps;

  const compileRevisionFilter = async (
    collection: Collection,
    filter: JsonObject | undefined,
    context: RequestContext,
  ): Promise<Filter> =>
    filter === undefined ? MATCH_ALL : filters.compile(revisionView(collection), filter, context);

  const prepare = async (
    collection: Collection,
    request: ReadRequest,
    context: RequestContext,
  ): Promise<PreparedRead> => {
    const { page, sort, projection } = resolveReadOptions(collection, request, limits.pageSize);
    const { compose = collection.settings.compose, includeHistory, historyFilters } = request;
    // Compiled even where no revision is read: an invalid filter is always an error.
    const revisionFilter = await compileRevisionFilter(collection, historyFilters, context);
    const revisionFields = () =>
      resolveReadOptions(revisionView(collection), request, limits.pageSize).projection;
    const revisions =
      includeHistory === true ? { filter: revisionFilter, projection: revisionFields() } : undefined;
    const { storeRevisions } = collection.settings;
    const view = createReadView({ projection, compose, revisions, storeRevisions });
    const filter = await filters.compileRead(collection, request.filter, context);
    return { collection, filter, sort, page, view };
  };

  const findStored = ({ collection, filter, sort, page, view }: PreparedRead, context: RequestContext) => {
    const { projection } = view;
    const query = { filter, sort, skip: page.offset, limit: page.limit, ...(projection && { projection }) };
    return store.findText(collection.namespace, query, toOperationOptions(context));
  };

  const findResults = async (read: PreparedRead, context: RequestContext) =>
    enrich(read.collection, await findStored(read, context), read.view, context);

  const findPage = async (read: PreparedRead, context: RequestContext): Promise<Page> => {
    const { collection, filter, page } = read;
    const count = () => store.count(collection.namespace, filter, toOperationOptions(context));
    // Nearly every page of a whole collection is full, so its total is counted at the same time.
    const [results, counted] = await Promise.all([
      findResults(read, context),
      filter === MATCH_ALL ? count() : undefined,
    ]);
    // A page that is not full is the last one, and its end is the number of matches.
    const isLast = results.length < page.limit && (results.length > 0 || page.offset === 0);
    // Other requests may write between the page and the count: what the page shows counts.
    const end = results.length === 0 ? 0 : page.offset + results.length;
    const total = isLast ? end : Math.max(end, counted ?? (await count()));
    return { results, metadata: pageMetadata(page, total) };
  };

  const find = (
    { namespace }: Collection,
    query: Pick<FindQuery, 'filter' | 'limit' | 'projection'> & Partial<FindQuery>,
    context: RequestContext,
  ) => store.find(namespace, { sort: [], skip: 0, ...query }, toOperationOptions(context));

  const findVersion = async (collection: Collection, filter: Filter, context: RequestContext) => {
    const [document] = await find(collection, { filter, limit: 1, projection: ONLY_VERSION }, context);
    return document && documentVersion(document);
  };

  const findOne = async (
    collection: Collection,
    id: string,
    request: ReadRequest,
    context: RequestContext,
  ) => {
    const prepared = await prepare(collection, request, context);
    const filter = joinFilters([filterById(id), prepared.filter]);
    const page = { ...prepared.page, offset: 0, page: 1 };
    const read = { ...prepared, filter, page };
    // A whole document holds its `v`. Else it is read first: after a write in between, a stale `v` refuses more, never less.
    const isWhole = read.view.projection === undefined;
    const versionBefore = isWhole ? undefined : await findVersion(collection, filter, context);
    const stored = await findStored(read, context);
    const results = await enrich(collection, stored, read.view, context);
    const metadata = pageMetadata(page, results.length);
    const [text] = stored;
    if (text === undefined) return { results, metadata, v: undefined };
    return { results, metadata, v: isWhole ? readVersion(text) : versionBefore };
  };

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
    return (await find(revisions, query, context)).map(({ _id }) => _id);
  };

  /** Finds a document whose revisions are read; undefined when it was deleted. Throws DOCUMENT_NOT_FOUND for a hidden one. */
  const findPresent = async (
    collection: Collection,
    { id, defaults }: { readonly id: string; readonly defaults: Filter },
    context: RequestContext,
  ): Promise<JsonObject | undefined> => {
    const byId = { filter: filterById(id), limit: 1, projection: ONLY_HISTORY };
    const [present] = await find(collection, byId, context);
    if (present === undefined || defaults === MATCH_ALL) return present;
    const visible = await findVersion(collection, joinFilters([filterById(id), defaults]), context);
    if (visible === undefined) throw new AppError('DOCUMENT_NOT_FOUND');
    return present;
  };

  const findHistory = async (
    collection: Collection,
    id: string,
    request: ReadRequest,
    context: RequestContext,
  ): Promise<Page> => {
    const { filter: requested, historyFilters, compose = false, ...rest } = request;
    const narrowing = await Promise.all([
      compileRevisionFilter(collection, requested, context),
      compileRevisionFilter(collection, historyFilters, context),
    ]);
    const defaults = await filters.compileDefaults(collection, context);
    const present = await findPresent(collection, { id, defaults }, context);
    const revisions = revisionView(collection);
    const { page, sort, projection } = resolveReadOptions(revisions, rest, limits.pageSize);
    const { storeRevisions } = collection.settings;
    // The state of a deleted document is known from its revisions only.
    const own = joinFilters([revisionsFilter(id), present === undefined ? defaults : undefined]);
    const countOwn = () => store.count(revisions.namespace, own, toOperationOptions(context));
    if (present === undefined && !(storeRevisions && (await countOwn()) > 0)) {
      throw new AppError('DOCUMENT_NOT_FOUND');
    }
    if (!storeRevisions) return { results: [], metadata: pageMetadata(page, 0) };
    const filter = joinFilters([own, ...narrowing]);
    const read = { collection: revisions, filter, sort, page };
    const showsHistory = includesField(projection, 'history');
    const { projection: visible, hideId } = withVisibleId(projection);
    const view = createReadView({
      projection: showsHistory ? visible : projection,
      compose,
      revisions: undefined,
      storeRevisions,
    });
    if (!showsHistory) return findPage({ ...read, view }, context);
    const [found, firstIds] = await Promise.all([
      findPage({ ...read, view }, context),
      findFirstRevisionIds(revisions, { id, present }, context),
    ]);
    return { ...found, results: await withEarlierIds(found.results, firstIds, hideId) };
  };

  return {
    async list(collection, request, context) {
      using hooks = openReadHooks(deps, collection, context);
      const read = await prepare(collection, await hooks.before(request), hooks.context);
      return await hooks.after(await findPage(read, hooks.context));
    },

    async get(collection, id, request, context) {
      using hooks = openReadHooks(deps, collection, context);
      const found = await findOne(collection, id, await hooks.beforeOne(id, request), hooks.context);
      if (found.results.length === 0) return found;
      const page = await hooks.after(found);
      return { ...page, v: page.results.length === 0 ? undefined : found.v };
    },

    async count(collection, request, context) {
      using hooks = openReadHooks(deps, collection, context);
      const changed = await hooks.before(request);
      await compileRevisionFilter(collection, changed.historyFilters, hooks.context);
      const filter = await filters.compileRead(collection, changed.filter, hooks.context);
      const total = await store.count(collection.namespace, filter, toOperationOptions(hooks.context));
      return countMetadata(resolvePageSize(collection, changed, limits.pageSize), total);
    },

    async history(collection, id, request, context) {
      using hooks = openReadHooks(deps, collection, context);
      if (hooks.hasBefore) {
        // Revisions hold what the document held: only those who may see the document may see them.
        const { filter = {} } = await hooks.beforeOne(id, {});
        const document = await findOne(collection, id, { filter }, hooks.context);
        if (document.v === undefined) throw new AppError('DOCUMENT_NOT_FOUND');
      }
      return await hooks.after(await findHistory(collection, id, request, hooks.context));
    },
  };
}

function readVersion(text: string): number {
  const tail = DOCUMENT_TAIL.exec(text.slice(-MAX_TAIL_CHARACTERS));
  return tail === null ? documentVersion(parseStoredJson(text)) : Number(tail[1]);
}
