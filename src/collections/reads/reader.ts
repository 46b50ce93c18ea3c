// Reading documents: pages, single ones, counts, revisions. Text goes straight through where nothing is put into it.
import { AppError } from '../../errors.ts';
import { versionOf } from '../../lib/document-version.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { parseStored } from '../../lib/stored-json.ts';
import { EVERYTHING, type Filter } from '../../stores/filter.ts';
import type { DocumentStore, FindQuery, OperationOptions, Projection, Sort } from '../../stores/ports.ts';
import type { Collection } from '../collection.ts';
import type { Context, DocumentLimits, DocumentService, Page, ReadRequest } from '../documents.ts';
import { type FilterCompiler, joinFilters } from '../filters/compiler.ts';
import { BLOCK, historyOf } from '../history-blocks.ts';
import { revisionsOf } from '../revision-space.ts';
import { revisionView, showEarlier } from '../revisions.ts';
import type { Enricher, View } from './enrich.ts';
import { countMetadata, pageMetadata } from './metadata.ts';
import { shows, withoutHiddenId } from './projection.ts';
import { pageLimit, type ReadOptions, readOptions } from './read-options.ts';

interface ReaderOptions {
  readonly store: DocumentStore;
  readonly filters: FilterCompiler;
  readonly enricher: Enricher;
  readonly limits: DocumentLimits;
}

type Reader = Pick<DocumentService, 'list' | 'get' | 'count' | 'history'>;

/** One read, ready for the store. */
interface Read {
  readonly collection: Collection;
  readonly filter: Filter;
  readonly options: ReadOptions;
  readonly view: View;
}

// `v` and `_id` are the last members of every document that this server wrote.
const TAIL = /[,{]"v":(\d{1,15}),"_id":"[^"\\]*"\}$/;
const TAIL_CHARACTERS = 80;
const ONLY_VERSION: Projection = { include: ['v'] };
const ONLY_HISTORY: Projection = { include: ['v', 'history'] };
const ONLY_ID: Projection = { include: [] };

const BY_VERSION: Sort = [['v', 1]];

/** The filter for one document. */
export function byId(id: string): Filter {
  return { kind: 'field', path: '_id', tests: [{ kind: 'eq', value: id.toLowerCase() }] };
}

/** What the store may know of a context: it can be sent to another thread. */
export function within({ deadline }: Context): OperationOptions {
  return { deadline };
}

export function createReader({ store, filters, enricher, limits }: ReaderOptions): Reader {
  const viewOf = async (collection: Collection, request: ReadRequest, context: Context) => {
    const options = readOptions(collection, request, limits.pageSize);
    const { compose = collection.settings.compose, includeHistory, historyFilters } = request;
    // Also where no revision is asked for: what is not offered is refused everywhere.
    const narrowed = await compileRevisions(filters, { collection, filter: historyFilters }, context);
    const shown = () => readOptions(revisionView(collection), request, limits.pageSize).projection;
    const revisions = includeHistory === true ? { filter: narrowed, projection: shown() } : undefined;
    const histories = collection.settings.storeRevisions;
    return { options, view: { projection: options.projection, compose, revisions, histories } };
  };

  const storedOf = ({ collection, filter, options, view }: Read, context: Context) => {
    const { sort, facts } = options;
    const projection = enricher.projectionFor(view);
    const query = { filter, sort, skip: facts.offset, limit: facts.limit, ...(projection && { projection }) };
    return store.findText(collection.namespace, query, within(context));
  };

  const textsOf = async (read: Read, context: Context) => {
    const texts = await storedOf(read, context);
    return enricher.apply(read.collection, texts, read.view, context);
  };

  const pageOf = async (read: Read, context: Context): Promise<Page> => {
    const { collection, filter, options } = read;
    const { offset, limit } = options.facts;
    const counting = () => store.count(collection.namespace, filter, within(context));
    // Nearly every page of a whole collection is full: its total is asked for beside it, not after it.
    const [results, counted] = await Promise.all([
      textsOf(read, context),
      filter === EVERYTHING ? counting() : undefined,
    ]);
    // A page that is not full is the last one, and its end is the number of matches.
    const isEnd = results.length < limit && (results.length > 0 || offset === 0);
    // Others may write between the page and the count: what is shown is there.
    const shown = results.length === 0 ? 0 : offset + results.length;
    const total = isEnd ? shown : Math.max(shown, counted ?? (await counting()));
    return { results, metadata: pageMetadata(options.facts, total) };
  };

  const find = (
    { namespace }: Collection,
    query: Pick<FindQuery, 'filter' | 'limit' | 'projection'> & Partial<FindQuery>,
    context: Context,
  ) => store.find(namespace, { sort: [], skip: 0, ...query }, within(context));

  const versionStored = async (collection: Collection, filter: Filter, context: Context) => {
    const [document] = await find(collection, { filter, limit: 1, projection: ONLY_VERSION }, context);
    return document && versionOf(document);
  };

  /** The ids of the first revisions of a document, which is given where there still is one. */
  const firstRevisions = async (
    own: Collection,
    { id, present }: { readonly id: string; readonly present: JsonObject | undefined },
    context: Context,
  ): Promise<readonly Json[]> => {
    if (present !== undefined) return historyOf(present).slice(0, BLOCK);
    const query = { filter: revisionsOf(id), limit: BLOCK, projection: ONLY_ID, sort: BY_VERSION };
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
      const filter = joinFilters([byId(id), await filters.compileRead(collection, request.filter, context)]);
      // Whole documents tell their `v`, also where others are put into them later.
      const whole = enricher.projectionFor(view) === undefined;
      // Read before the document: should another write get in between, a stale `v` refuses more, never less.
      const before = whole ? undefined : await versionStored(collection, filter, context);
      const facts = { ...options.facts, offset: 0, page: 1 };
      const read = { collection, filter, options: { ...options, facts }, view };
      const stored = await storedOf(read, context);
      const results = await enricher.apply(collection, stored, view, context);
      const [text] = stored;
      const v = whole && text !== undefined ? versionIn(text) : before;
      return {
        results,
        metadata: pageMetadata(facts, results.length),
        v: text === undefined ? undefined : v,
      };
    },

    async count(collection, request, context) {
      await compileRevisions(filters, { collection, filter: request.historyFilters }, context);
      const filter = await filters.compileRead(collection, request.filter, context);
      const total = await store.count(collection.namespace, filter, within(context));
      return countMetadata(pageLimit(collection, request, limits.pageSize), total);
    },

    async history(collection, id, request, context) {
      const { filter: asked, historyFilters, ...rest } = request;
      const narrowed = await Promise.all(
        [asked, historyFilters].map((filter) => compileRevisions(filters, { collection, filter }, context)),
      );
      const always = await filters.compileRead(collection, undefined, context);
      const one = { filter: byId(id), limit: 1, projection: ONLY_HISTORY };
      const [present] = await find(collection, one, context);
      if (present !== undefined && always !== EVERYTHING) {
        const visible = await versionStored(collection, joinFilters([byId(id), always]), context);
        if (visible === undefined) throw new AppError('DOCUMENT_NOT_FOUND');
      }
      const own = revisionView(collection);
      const bare = { ...rest, compose: rest.compose ?? false, includeHistory: false };
      const { options, view } = await viewOf(own, bare, context);
      const revisions = joinFilters([revisionsOf(id), present === undefined ? always : undefined]);
      const kept = collection.settings.storeRevisions;
      if (
        present === undefined &&
        !(kept && (await store.count(own.namespace, revisions, within(context))) > 0)
      ) {
        throw new AppError('DOCUMENT_NOT_FOUND');
      }
      if (!kept) return { results: [], metadata: pageMetadata(options.facts, 0) };
      const filter = joinFilters([revisions, ...narrowed]);
      if (!shows(view.projection, 'history')) {
        return pageOf({ collection: own, filter, options, view }, context);
      }
      const { projection, hideId } = withoutHiddenId(view.projection);
      const read = { collection: own, filter, options, view: { ...view, projection } };
      const [page, first] = await Promise.all([
        pageOf(read, context),
        firstRevisions(own, { id, present }, context),
      ]);
      return { ...page, results: await showEarlier(page.results, first, hideId) };
    },
  };
}

function compileRevisions(
  filters: FilterCompiler,
  { collection, filter }: { readonly collection: Collection; readonly filter: JsonObject | undefined },
  context: Context,
): Filter | Promise<Filter> {
  return filter === undefined ? EVERYTHING : filters.compile(revisionView(collection), filter, context);
}

function versionIn(text: string): number {
  const tail = TAIL.exec(text.slice(-TAIL_CHARACTERS));
  return tail === null ? versionOf(parseStored(text)) : Number(tail[1]);
}
