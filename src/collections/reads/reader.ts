// Reading documents: pages, single ones, counts, revisions. Text goes straight through where nothing is put into it.
import { AppError } from '../../errors.ts';
import { documentVersion } from '../../lib/document-version.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { parseStoredJson } from '../../lib/json/stored-json.ts';
import { type Filter, MATCH_ALL } from '../../stores/filter.ts';
import type { DocumentStore, FindQuery, OperationOptions, Projection, Sort } from '../../stores/ports.ts';
import { type FilterCompiler, joinFilters } from '../filters/compile.ts';
import type { Collection } from '../model/collection.ts';
import type {
  DocumentLimits,
  DocumentService,
  Page,
  ReadRequest,
  RequestContext,
} from '../model/documents.ts';
import { HISTORY_BLOCK_SIZE, revisionIds } from '../model/history-blocks.ts';
import { revisionsFilter } from '../model/revision-namespace.ts';
import type { Enricher, ReadView } from './enrich.ts';
import { countMetadata, pageMetadata } from './page-metadata.ts';
import { includesField, withVisibleId } from './projection.ts';
import { type ReadOptions, resolvePageSize, resolveReadOptions } from './read-options.ts';
import { revisionView, withEarlierIds } from './revisions.ts';

interface ReaderDeps {
  readonly store: DocumentStore;
  readonly filters: FilterCompiler;
  readonly enricher: Enricher;
  readonly limits: DocumentLimits;
}

type DocumentReader = Pick<DocumentService, 'list' | 'get' | 'count' | 'history'>;

/** One read, ready for the store. */
interface PreparedRead {
  readonly collection: Collection;
  readonly filter: Filter;
  readonly options: ReadOptions;
  readonly view: ReadView;
}

// `v` and `_id` are the last members of every document that this server wrote.
const DOCUMENT_TAIL = /[,{]"v":(\d{1,15}),"_id":"[^"\\]*"\}$/;
const MAX_TAIL_CHARACTERS = 80;
const ONLY_VERSION: Projection = { include: ['v'] };
const ONLY_HISTORY: Projection = { include: ['v', 'history'] };
const ONLY_ID: Projection = { include: [] };

const BY_VERSION: Sort = [['v', 1]];

/** The filter for one document. */
export function filterById(id: string): Filter {
  return { kind: 'field', path: '_id', tests: [{ kind: 'eq', value: id.toLowerCase() }] };
}

/** What the store may know of a context: it can be sent to another thread. */
export function toOperationOptions({ deadline }: RequestContext): OperationOptions {
  return { deadline };
}

export function createReader({ store, filters, enricher, limits }: ReaderDeps): DocumentReader {
  const viewOf = async (collection: Collection, request: ReadRequest, context: RequestContext) => {
    const options = resolveReadOptions(collection, request, limits.pageSize);
    const { compose = collection.settings.compose, includeHistory, historyFilters } = request;
    // Also where no revision is asked for: what is not offered is refused everywhere.
    const narrowed = await compileRevisionFilter(filters, { collection, filter: historyFilters }, context);
    const shown = () => resolveReadOptions(revisionView(collection), request, limits.pageSize).projection;
    const revisions = includeHistory === true ? { filter: narrowed, projection: shown() } : undefined;
    const histories = collection.settings.storeRevisions;
    return { options, view: { projection: options.projection, compose, revisions, histories } };
  };

  const storedOf = ({ collection, filter, options, view }: PreparedRead, context: RequestContext) => {
    const { sort, page: facts } = options;
    const projection = enricher.storeProjection(view);
    const query = { filter, sort, skip: facts.offset, limit: facts.limit, ...(projection && { projection }) };
    return store.findText(collection.namespace, query, toOperationOptions(context));
  };

  const textsOf = async (read: PreparedRead, context: RequestContext) => {
    const texts = await storedOf(read, context);
    return enricher.enrich(read.collection, texts, read.view, context);
  };

  const pageOf = async (read: PreparedRead, context: RequestContext): Promise<Page> => {
    const { collection, filter, options } = read;
    const { offset, limit } = options.page;
    const counting = () => store.count(collection.namespace, filter, toOperationOptions(context));
    // Nearly every page of a whole collection is full: its total is asked for beside it, not after it.
    const [results, counted] = await Promise.all([
      textsOf(read, context),
      filter === MATCH_ALL ? counting() : undefined,
    ]);
    // A page that is not full is the last one, and its end is the number of matches.
    const isEnd = results.length < limit && (results.length > 0 || offset === 0);
    // Others may write between the page and the count: what is shown is there.
    const shown = results.length === 0 ? 0 : offset + results.length;
    const total = isEnd ? shown : Math.max(shown, counted ?? (await counting()));
    return { results, metadata: pageMetadata(options.page, total) };
  };

  const find = (
    { namespace }: Collection,
    query: Pick<FindQuery, 'filter' | 'limit' | 'projection'> & Partial<FindQuery>,
    context: RequestContext,
  ) => store.find(namespace, { sort: [], skip: 0, ...query }, toOperationOptions(context));

  const versionStored = async (collection: Collection, filter: Filter, context: RequestContext) => {
    const [document] = await find(collection, { filter, limit: 1, projection: ONLY_VERSION }, context);
    return document && documentVersion(document);
  };

  /** The ids of the first revisions of a document, which is given where there still is one. */
  const firstRevisions = async (
    own: Collection,
    { id, present }: { readonly id: string; readonly present: JsonObject | undefined },
    context: RequestContext,
  ): Promise<readonly Json[]> => {
    if (present !== undefined) return revisionIds(present).slice(0, HISTORY_BLOCK_SIZE);
    const query = {
      filter: revisionsFilter(id),
      limit: HISTORY_BLOCK_SIZE,
      projection: ONLY_ID,
      sort: BY_VERSION,
    };
    return (await find(own, query, context)).map(({ _id }) => _id);
  };

  return {
    async list(collection, request, context) {
      const { options, view } = await viewOf(collection, request, context);
      const filter = await filters.compileRead(collection, request.filter, context);
      return pageOf({ collection, filter, options, view }, context);
    },

    async get(collection, id, request, context) {
      const { options, view } = await viewOf(collection, request, context);
      const filter = joinFilters([
        filterById(id),
        await filters.compileRead(collection, request.filter, context),
      ]);
      // Whole documents tell their `v`, also where others are put into them later.
      const whole = enricher.storeProjection(view) === undefined;
      // Read before the document: should another write get in between, a stale `v` refuses more, never less.
      const before = whole ? undefined : await versionStored(collection, filter, context);
      const facts = { ...options.page, offset: 0, page: 1 };
      const read = { collection, filter, options: { ...options, facts }, view };
      const stored = await storedOf(read, context);
      const results = await enricher.enrich(collection, stored, view, context);
      const [text] = stored;
      const v = whole && text !== undefined ? readVersion(text) : before;
      return {
        results,
        metadata: pageMetadata(facts, results.length),
        v: text === undefined ? undefined : v,
      };
    },

    async count(collection, request, context) {
      await compileRevisionFilter(filters, { collection, filter: request.historyFilters }, context);
      const filter = await filters.compileRead(collection, request.filter, context);
      const total = await store.count(collection.namespace, filter, toOperationOptions(context));
      return countMetadata(resolvePageSize(collection, request, limits.pageSize), total);
    },

    async history(collection, id, request, context) {
      const { filter: asked, historyFilters, ...rest } = request;
      const narrowed = await Promise.all(
        [asked, historyFilters].map((filter) =>
          compileRevisionFilter(filters, { collection, filter }, context),
        ),
      );
      const always = await filters.compileRead(collection, undefined, context);
      const one = { filter: filterById(id), limit: 1, projection: ONLY_HISTORY };
      const [present] = await find(collection, one, context);
      if (present !== undefined && always !== MATCH_ALL) {
        const visible = await versionStored(collection, joinFilters([filterById(id), always]), context);
        if (visible === undefined) throw new AppError('DOCUMENT_NOT_FOUND');
      }
      const own = revisionView(collection);
      const bare = { ...rest, compose: rest.compose ?? false, includeHistory: false };
      const { options, view } = await viewOf(own, bare, context);
      const revisions = joinFilters([revisionsFilter(id), present === undefined ? always : undefined]);
      const kept = collection.settings.storeRevisions;
      if (
        present === undefined &&
        !(kept && (await store.count(own.namespace, revisions, toOperationOptions(context))) > 0)
      ) {
        throw new AppError('DOCUMENT_NOT_FOUND');
      }
      if (!kept) return { results: [], metadata: pageMetadata(options.page, 0) };
      const filter = joinFilters([revisions, ...narrowed]);
      if (!includesField(view.projection, 'history')) {
        return pageOf({ collection: own, filter, options, view }, context);
      }
      const { projection, hideId } = withVisibleId(view.projection);
      const read = { collection: own, filter, options, view: { ...view, projection } };
      const [page, first] = await Promise.all([
        pageOf(read, context),
        firstRevisions(own, { id, present }, context),
      ]);
      return { ...page, results: await withEarlierIds(page.results, first, hideId) };
    },
  };
}

function compileRevisionFilter(
  filters: FilterCompiler,
  { collection, filter }: { readonly collection: Collection; readonly filter: JsonObject | undefined },
  context: RequestContext,
): Filter | Promise<Filter> {
  return filter === undefined ? MATCH_ALL : filters.compile(revisionView(collection), filter, context);
}

function readVersion(text: string): number {
  const tail = DOCUMENT_TAIL.exec(text.slice(-MAX_TAIL_CHARACTERS));
  return tail === null ? documentVersion(parseStoredJson(text)) : Number(tail[1]);
}
