// Reads documents: lists, single documents, counts, revisions, and the records of files. Each read is told top to bottom:
// `beforeGet`, prepare, read, `afterGet`.

import { AppError } from '../../errors/errors.ts';
import { andThen, type MaybePromise } from '../../lib/async/maybe-promise.ts';
import { joinTexts } from '../../lib/chunked-text.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { documentVersion, parseStoredJson } from '../../lib/json/stored-json.ts';
import { type Filter, filterById, MATCH_ALL } from '../../stores/filter.ts';
import type { DocumentStore, FindQuery, Projection } from '../../stores/ports.ts';
import { type FilterCompiler, joinFilters } from '../filters/compile.ts';
import type { HookDeps } from '../hooks/document-hooks.ts';
import { type Collection, hasReadHooks } from '../model/collection.ts';
import type {
  DocumentLimits,
  DocumentService,
  RecordService,
  RequestContext,
  SinglePage,
} from '../model/documents.ts';
import type { ReadRequest } from '../model/read-parameters.ts';
import { HISTORY_BLOCK_SIZE, revisionIds, revisionsFilter } from '../model/stored-document.ts';
import { compileRevisionFilter, createReadPreparer, createReadView, prepareRead } from './prepare-read.ts';
import { readBetweenHooks } from './read-hooks.ts';
import { createPageReader, type Enrich, type PageReader, toStoreOptions } from './read-page.ts';
import {
  countMetadata,
  includesField,
  pageMetadata,
  resolvePageSize,
  resolveReadOptions,
  withVisibleId,
} from './resolve-read.ts';
import { revisionView, withEarlierIds } from './revisions.ts';

type ReadService = Pick<DocumentService, 'list' | 'get' | 'count' | 'history'> &
  Pick<RecordService, 'findRecord'>;

interface ReaderDeps extends HookDeps {
  readonly store: DocumentStore;
  readonly filters: FilterCompiler;
  readonly enrich: Enrich;
  readonly limits: DocumentLimits;
}

// `v` and `_id` are the last members of every document that this server wrote.
const DOCUMENT_TAIL = /[,{]"v":(\d{1,15}),"_id":"[^"\\]*"\}$/y;

export function createReader(deps: ReaderDeps): ReadService {
  const { store, filters, enrich, limits } = deps;
  const prepare = createReadPreparer({ filters, limits });
  const pages = createPageReader({ store, enrich });

  const readList: ReadService['list'] = (collection, request, context) =>
    andThen(prepare(collection, request, context), (read) => pages.readPage(read, context));

  const readOne = (
    collection: Collection,
    id: string,
    request: ReadRequest,
    context: RequestContext,
  ): MaybePromise<SinglePage> =>
    andThen(prepare(collection, request, context), ({ query, view, page: requested }) => {
      const filter = joinFilters([filterById(id), query.filter]);
      const page = { ...requested, offset: 0, page: 1 };
      // A whole document holds its `v`. Else it is read first: after a write in between, a stale `v` refuses more, never less.
      const isWhole = view.projection === undefined;
      return andThen(
        isWhole ? undefined : pages.readVersion(collection, filter, context),
        (versionBefore) => {
          const byId = { ...query, filter, skip: 0 };
          return andThen(store.findText(collection.namespace, byId, toStoreOptions(context)), (stored) =>
            andThen(enrich(collection, stored, view, context), (texts) => {
              const found = { ...joinTexts(texts), metadata: pageMetadata(page, texts.length) };
              const [text] = stored;
              if (text === undefined) return { ...found, v: undefined };
              return { ...found, v: isWhole ? versionOfText(text) : versionBefore };
            }),
          );
        },
      );
    });

  const countMatches: ReadService['count'] = (collection, request, context) =>
    andThen(compileRevisionFilter(filters, collection, request.historyFilters, context), () =>
      andThen(filters.compileRead(collection, request.filter, context), ({ filter }) =>
        andThen(store.count(collection.namespace, filter, toStoreOptions(context)), (total) =>
          countMetadata(resolvePageSize(collection, request, limits.pageSize), total),
        ),
      ),
    );

  const readHistory = createHistoryReader({ store, filters, limits, pages });

  const get: ReadService['get'] = (collection, id, request, context) => {
    if (!hasReadHooks(collection)) return readOne(collection, id, request, context);
    return readBetweenHooks(deps, { collection, context }, async (hooks) => {
      const changed = await hooks.beforeOne(id, request);
      const found = await readOne(collection, id, changed, hooks.context);
      if (found.count === 0) return found;
      const page = await hooks.after(found);
      return { ...page, v: page.count === 0 ? undefined : found.v };
    });
  };

  return {
    list(collection, request, context) {
      if (!hasReadHooks(collection)) return readList(collection, request, context);
      return readBetweenHooks(deps, { collection, context }, async (hooks) => {
        const changed = await hooks.before(request);
        return hooks.after(await readList(collection, changed, hooks.context));
      });
    },

    get,

    count(collection, request, context) {
      if (!hasReadHooks(collection)) return countMatches(collection, request, context);
      return readBetweenHooks(deps, { collection, context }, async (hooks) =>
        countMatches(collection, await hooks.before(request), hooks.context),
      );
    },

    async history(collection, id, request, context) {
      if (!hasReadHooks(collection)) return readHistory(collection, id, request, context);
      return readBetweenHooks(deps, { collection, context }, async (hooks) => {
        if (hooks.hasBefore) {
          // Revisions hold what the document held: only those who may see the document may see them.
          const { filter = {} } = await hooks.beforeOne(id, {});
          const document = await readOne(collection, id, { filter }, hooks.context);
          if (document.v === undefined) throw new AppError('DOCUMENT_NOT_FOUND');
        }
        return hooks.after(await readHistory(collection, id, request, hooks.context));
      });
    },

    /** A file is as hidden as its record: by the default filters of the collection, and by its hooks for reads. */
    async findRecord(collection, by, context) {
      const byKey: Filter =
        'id' in by
          ? filterById(by.id)
          : { kind: 'field', path: 'path', tests: [{ kind: 'eq', value: by.path }] };
      const filter = joinFilters([byKey, await filters.compileDefaults(collection, context)]);
      const [record] = await pages.readDocuments(collection, { filter, limit: 1 }, context);
      if (record === undefined || !hasReadHooks(collection)) return record;
      const { count } = await get(collection, record._id, {}, context);
      return count === 0 ? undefined : record;
    },
  };
}

/** The `v` of a whole document. */
function versionOfText(text: string): number {
  DOCUMENT_TAIL.lastIndex = Math.max(0, text.lastIndexOf('"v":') - 1);
  const tail = DOCUMENT_TAIL.exec(text);
  return tail === null ? documentVersion(parseStoredJson(text)) : Number(tail[1]);
}

interface HistoryReaderDeps extends Pick<ReaderDeps, 'store' | 'filters' | 'limits'> {
  readonly pages: PageReader;
}

const ONLY_HISTORY: Projection = { include: ['v', 'history'] };
const ONLY_ID: Projection = { include: [] };

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
    return (await pages.readDocuments(revisions, query, context)).map(({ _id }) => _id);
  };

  /** Finds a document whose revisions are read; undefined when it was deleted. Throws DOCUMENT_NOT_FOUND for a hidden one. */
  const findPresent = async (
    collection: Collection,
    { id, defaults }: { readonly id: string; readonly defaults: Filter },
    context: RequestContext,
  ): Promise<JsonObject | undefined> => {
    const byId = { filter: filterById(id), limit: 1, projection: ONLY_HISTORY };
    const [present] = await pages.readDocuments(collection, byId, context);
    if (present === undefined || defaults === MATCH_ALL) return present;
    const visible = await pages.readVersion(collection, joinFilters([filterById(id), defaults]), context);
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
    if (!showsHistory) return pages.readPage(read, context);
    const finding = andThen(pages.readTexts(read, context), (texts) => ({ texts, count: texts.length }));
    const [{ texts, metadata }, firstIds] = await Promise.all([
      pages.addMetadata(read, finding, context),
      findFirstRevisionIds(revisions, { id, present }, context),
    ]);
    return { ...joinTexts(await withEarlierIds(texts, firstIds, hideId)), metadata };
  };
}
