// Reads the revisions of one document, also of one that was deleted: whether the caller may see it, which revisions to
// read, and the page of them.

import { AppError } from '../../errors/errors.ts';
import { andThen } from '../../lib/async/maybe-promise.ts';
import { joinTexts } from '../../lib/chunked-text.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { type Filter, filterById, joinFilters, MATCH_ALL } from '../../stores/filter.ts';
import type { Projection } from '../../stores/ports.ts';
import type { FilterCompiler } from '../filters/compile.ts';
import {
  narrowFilter,
  notPermitted,
  type PermittedFilter,
  type PermittedQuery,
  type PermittedStore,
  permit,
  permitRevisions,
  permitServer,
  type VisibleCollection,
} from '../model/access.ts';
import type { Collection, CollectionRegistry } from '../model/collection.ts';
import type { DocumentLimits, DocumentService, ReadPage, RequestContext } from '../model/documents.ts';
import type { ComposeDepth } from '../model/read-parameters.ts';
import { ownRevisionsFilter } from '../model/revision-owner.ts';
import { HISTORY_BLOCK_SIZE, revisionIds, revisionsFilter } from '../model/stored-document.ts';
import { compileRevisionFilter, createReadView, toPreparedRead } from './prepare-read.ts';
import { type PageReader, toStoreOptions } from './read-page.ts';
import {
  includesField,
  pageMetadata,
  type ReadOptions,
  resolveReadOptions,
  withVisibleId,
} from './resolve-read.ts';
import { revisionView, withEarlierIds, withoutOwnMembers } from './revisions.ts';

interface HistoryReaderDeps {
  readonly visible: VisibleCollection;
  readonly store: PermittedStore;
  readonly registry: Pick<CollectionRegistry, 'list'>;
  readonly filters: FilterCompiler;
  readonly limits: Pick<DocumentLimits, 'pageSize'>;
  readonly pages: PageReader;
}

const ONLY_HISTORY: Projection = { include: ['v', 'history'] };
const ONLY_ID: Projection = { include: [] };
/** The query of the last state. */
const LAST: Omit<PermittedQuery, 'filter'> = {
  sort: [['v', -1]],
  skip: 0,
  limit: 1,
  projection: ONLY_ID,
};

/** The document whose revisions are read. */
interface Owner {
  /** Its revisions. */
  readonly filter: PermittedFilter;
  /** Undefined when it was deleted. */
  readonly present: JsonObject | undefined;
}

interface HistoryQuery extends ReadOptions {
  readonly owner: Owner;
  readonly filter: PermittedFilter;
  readonly compose: ComposeDepth;
}

/** Makes the function that finds a page of the revisions of one document. Hooks have run. */
export function createHistoryReader({
  store,
  registry,
  visible,
  filters,
  limits,
  pages,
}: HistoryReaderDeps): DocumentService['history'] {
  /**
   * Finds the document; undefined when it was deleted. Throws DOCUMENT_NOT_FOUND for one that `defaults` hide or that the caller
   * may not read, and NOT_PERMITTED for one whose revisions are not for the caller.
   */
  const findPresent = async (
    collection: Collection,
    { id, defaults }: { readonly id: string; readonly defaults: Filter },
    context: RequestContext,
  ): Promise<JsonObject | undefined> => {
    const byId = { filter: permitServer(filterById(id)), limit: 1, projection: ONLY_HISTORY };
    const [present] = await pages.readDocuments(collection, byId, context);
    if (present === undefined) return undefined;
    const access = context.caller.access(collection);
    const isIn = async (filter: PermittedFilter) =>
      filter === MATCH_ALL ||
      (await pages.readVersion(collection, narrowFilter(filter, filterById(id)), context)) !== undefined;
    if (!(await isIn(permit(access, 'read', defaults)))) throw new AppError('DOCUMENT_NOT_FOUND');
    if (!(await isIn(permit(access, 'history', MATCH_ALL)))) throw notPermitted(access, context.caller);
    return present;
  };

  /** Throws as `findPresent` does, for the last state of a deleted document. `all`: its revisions. */
  const assertLastReadable = async (
    collection: Collection,
    all: Filter,
    context: RequestContext,
  ): Promise<void> => {
    const access = context.caller.access(collection);
    if (access.read === MATCH_ALL && access.history === MATCH_ALL) return;
    const revisions = revisionView(collection);
    const newest: PermittedQuery = { ...LAST, filter: permitServer(all) };
    const [last] = await pages.readDocuments(revisions, newest, context);
    const isIn = async (action: 'read' | 'history') => {
      const filter = permitRevisions(access, action, filterById(last?._id ?? ''));
      return (await pages.readVersion(revisions, filter, context)) !== undefined;
    };
    if (!(await isIn('read'))) throw new AppError('DOCUMENT_NOT_FOUND');
    if (!(await isIn('history'))) throw notPermitted(access, context.caller);
  };

  /** Throws DOCUMENT_NOT_FOUND unless a deleted document left revisions that match `own`. */
  const assertHasRevisions = async (
    { settings, namespace }: Collection,
    own: PermittedFilter,
    context: RequestContext,
  ): Promise<void> => {
    if (settings.storeRevisions && (await store.count(namespace, own, toStoreOptions(context))) > 0) return;
    throw new AppError('DOCUMENT_NOT_FOUND');
  };

  /** The ids of the first revisions of a document. */
  const findFirstRevisionIds = async (
    revisions: Collection,
    { filter, present }: Owner,
    context: RequestContext,
  ): Promise<readonly Json[]> => {
    if (present !== undefined) return revisionIds(present).slice(0, HISTORY_BLOCK_SIZE);
    const query: PermittedQuery = {
      filter,
      sort: [['v', 1]],
      skip: 0,
      limit: HISTORY_BLOCK_SIZE,
      projection: ONLY_ID,
    };
    return (await pages.readDocuments(revisions, query, context)).map(({ _id }) => _id);
  };

  /** Reads a page of revisions. Each shows the ids of those before it, unless `history` is not among the fields. */
  const readRevisions = async (
    revisions: Collection,
    { owner, filter, compose, page, sort, projection }: HistoryQuery,
    context: RequestContext,
  ): Promise<ReadPage> => {
    const showsHistory = includesField(projection, 'history');
    const { projection: visible, hideId } = withVisibleId(projection);
    const view = createReadView({
      projection: withoutOwnMembers(showsHistory ? visible : projection),
      compose,
      revisions: undefined,
      storeRevisions: true,
    });
    const read = toPreparedRead(revisions, { filter, sort, page, view });
    if (!showsHistory) return pages.readPage(read, context);
    const found = andThen(pages.readTexts(read, context), (texts) => ({ texts, count: texts.length }));
    const [{ texts, metadata }, firstIds] = await Promise.all([
      pages.addMetadata(read, found, context),
      findFirstRevisionIds(revisions, owner, context),
    ]);
    return { ...joinTexts(await withEarlierIds(texts, firstIds, hideId)), metadata };
  };

  return async (collection, id, request, context) => {
    const { filter: requested, historyFilters, compose = false, ...rest } = request;
    const narrowing = await Promise.all([
      compileRevisionFilter(filters, collection, requested, context),
      compileRevisionFilter(filters, collection, historyFilters, context),
    ]);
    const defaults = await filters.compileDefaults(collection, context);
    const present = await findPresent(collection, { id, defaults }, context);
    const { hidden } = context.caller.access(collection);
    const revisions = revisionView(visible(collection, { hidden }));
    const options = resolveReadOptions(revisions, rest, limits.pageSize, hidden);
    // The state of a deleted document is known from its revisions only.
    const access = context.caller.access(collection);
    const kept = joinFilters([revisionsFilter(id), ownRevisionsFilter(collection, registry)]);
    const all = permitRevisions(access, 'read', kept);
    const own = present === undefined ? narrowFilter(all, defaults) : all;
    if (present === undefined) {
      await assertHasRevisions(revisions, own, context);
      await assertLastReadable(collection, kept, context);
    }
    if (!collection.settings.storeRevisions) {
      return { text: '', count: 0, metadata: pageMetadata(options.page, 0) };
    }
    const filter = narrowFilter(own, joinFilters(narrowing));
    return readRevisions(
      revisions,
      { ...options, owner: { filter: all, present }, filter, compose },
      context,
    );
  };
}
