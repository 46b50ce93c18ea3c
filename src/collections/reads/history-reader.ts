// Reads the revisions of one document, also of one that was deleted.
import { AppError } from '../../errors/errors.ts';
import { andThen, type MaybePromise } from '../../lib/async/maybe-promise.ts';
import { joinTexts } from '../../lib/chunked-text.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { type Filter, filterById, MATCH_ALL } from '../../stores/filter.ts';
import type { DocumentStore, FindQuery, Projection } from '../../stores/ports.ts';
import { type FilterCompiler, joinFilters } from '../filters/compile.ts';
import type { Collection } from '../model/collection.ts';
import type { DocumentLimits, DocumentService, RequestContext } from '../model/documents.ts';
import { HISTORY_BLOCK_SIZE, revisionIds, revisionsFilter } from '../model/stored-revisions.ts';
import { createReadView, type PageFinder, prepareRead, toOperationOptions } from './find-page.ts';
import { includesField, pageMetadata, resolveReadOptions, withVisibleId } from './read-options.ts';
import { revisionView, withEarlierIds } from './revisions.ts';

interface HistoryReaderDeps {
  readonly store: Pick<DocumentStore, 'count'>;
  readonly filters: FilterCompiler;
  readonly limits: Pick<DocumentLimits, 'pageSize'>;
  readonly pages: PageFinder;
}

const ONLY_HISTORY: Projection = { include: ['v', 'history'] };
const ONLY_ID: Projection = { include: [] };

/** Compiles a filter on the revisions of a collection. Throws FILTER_INVALID. */
export function compileRevisionFilter(
  filters: Pick<FilterCompiler, 'compile'>,
  collection: Collection,
  filter: JsonObject | undefined,
  context: RequestContext,
): MaybePromise<Filter> {
  return filter === undefined ? MATCH_ALL : filters.compile(revisionView(collection), filter, context);
}

/** Makes the function that finds a page of revisions. Hooks have run. */
export function createHistoryReader({
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
    const countOwn = () => store.count(revisions.namespace, own, toOperationOptions(context));
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
