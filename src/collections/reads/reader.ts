// Reads documents: lists, single documents, counts, revisions, and the records of files. Each read is told top to bottom:
// `beforeGet`, prepare, read, `afterGet`.

import { AppError } from '../../errors/errors.ts';
import { andThen, type MaybePromise } from '../../lib/async/maybe-promise.ts';
import { joinTexts } from '../../lib/chunked-text.ts';
import { readDocumentVersion } from '../../lib/json/stored-json.ts';
import { type Filter, filterById, joinFilters } from '../../stores/filter.ts';
import type { FilterCompiler } from '../filters/compile.ts';
import type { HookDeps } from '../hooks/document-hooks.ts';
import {
  narrowFilter,
  type PermittedFilter,
  type PermittedStore,
  permit,
  type VisibleCollection,
} from '../model/access.ts';
import { type Collection, type CollectionRegistry, hasReadHooks } from '../model/collection.ts';
import type {
  DocumentLimits,
  DocumentService,
  RecordService,
  RequestContext,
  SinglePage,
} from '../model/documents.ts';
import type { ReadRequest } from '../model/read-parameters.ts';
import type { Composer } from './compose.ts';
import type { HistoryLoader } from './history-loader.ts';
import { compileRevisionFilter, createReadPreparer, type PreparedRead } from './prepare-read.ts';
import { createHistoryReader } from './read-history.ts';
import { readBetweenHooks, withoutHiddenOfPage } from './read-hooks.ts';
import { createPageReader, toStoreOptions } from './read-page.ts';
import { createRemovedReader, toDocuments, withDocuments } from './read-removed.ts';
import { countMetadata, pageMetadata, resolvePageSize } from './resolve-read.ts';

type ReadService = Pick<DocumentService, 'list' | 'get' | 'count' | 'history' | 'removed'> &
  Pick<RecordService, 'findRecord'>;

interface ReaderDeps extends HookDeps {
  readonly store: PermittedStore;
  readonly visible: VisibleCollection;
  readonly registry: Pick<CollectionRegistry, 'list'>;
  readonly filters: FilterCompiler;
  readonly histories: HistoryLoader;
  readonly composer: Composer;
  readonly limits: DocumentLimits;
}

/** The texts of one document, or none, and its `v`. */
interface Versioned {
  readonly stored: readonly string[];
  readonly v: number | undefined;
}

export function createReader(deps: ReaderDeps): ReadService {
  const { store, visible, registry, filters, histories, composer, limits } = deps;
  const prepare = createReadPreparer({ visible, filters, limits });
  const maxRevisions = limits.composeReferences;
  const pages = createPageReader({ store, registry, histories, composer, maxRevisions });

  const readList: ReadService['list'] = (collection, request, context) =>
    andThen(prepare(collection, request, context), (read) => pages.readPage(read, context));

  /** Finds one document as it is stored, and its `v`. */
  const findVersioned = (
    { collection, query, view }: PreparedRead,
    filter: PermittedFilter,
    context: RequestContext,
  ): MaybePromise<Versioned> => {
    const byId = { ...query, filter, skip: 0 };
    const findStored = () => store.findText(collection.namespace, byId, toStoreOptions(context));
    if (view.projection === undefined) {
      return andThen(findStored(), (stored) => {
        const [text] = stored;
        return { stored, v: text === undefined ? undefined : readDocumentVersion(text) };
      });
    }
    // Only a whole document holds its `v`. Read before the document, it may be stale: such a `v` refuses more, never less.
    return andThen(pages.readVersion(collection, filter, context), (v) =>
      andThen(findStored(), (stored) => ({ stored, v: stored.length === 0 ? undefined : v })),
    );
  };

  const readOne = (
    collection: Collection,
    id: string,
    request: ReadRequest,
    context: RequestContext,
  ): MaybePromise<SinglePage> =>
    andThen(prepare(collection, request, context), (read) => {
      const filter = narrowFilter(read.query.filter, filterById(id));
      const page = { ...read.page, offset: 0, page: 1 };
      return andThen(findVersioned(read, filter, context), ({ stored, v }) =>
        andThen(pages.enrich(collection, stored, read.view, context), (texts) => ({
          ...joinTexts(texts),
          metadata: pageMetadata(page, texts.length),
          v,
        })),
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

  const readHistory = createHistoryReader({ store, registry, visible, filters, limits, pages });

  const readRemoved = createRemovedReader({ store, registry, visible, filters, limits, pages });

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
      if (context.withoutReadHooksOf === collection.path) {
        return andThen(readList(collection, request, context), (page) =>
          withoutHiddenOfPage(page, collection, context),
        );
      }
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

    async removed(collection, request, context) {
      if (!hasReadHooks(collection)) return readRemoved(collection, request, context);
      return readBetweenHooks(deps, { collection, context }, async (hooks) => {
        const changed = await hooks.before(request);
        const page = await readRemoved(collection, changed, hooks.context);
        return withDocuments(page, await hooks.after(toDocuments(page)));
      });
    },

    /** A file is as hidden as its record: by the default filters of the collection, and by its hooks for reads. */
    async findRecord(collection, by, context) {
      const byKey: Filter =
        'id' in by
          ? filterById(by.id)
          : { kind: 'field', path: 'path', tests: [{ kind: 'eq', value: by.path }] };
      const defaults = await filters.compileDefaults(collection, context);
      const filter = permit(context.caller.access(collection), 'read', joinFilters([byKey, defaults]));
      const [record] = await pages.readDocuments(collection, { filter, limit: 1 }, context);
      if (record === undefined || !hasReadHooks(collection)) return record;
      const { count } = await get(collection, record._id, {}, context);
      return count === 0 ? undefined : record;
    },
  };
}
