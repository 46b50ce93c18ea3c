// Reads the removed documents of a collection, those removed last first: the last state of each, when it was removed and by whom.
// What tells that is in the revision of a removal, until the document comes back.
import { andThen, mapYielding } from '../../lib/async/maybe-promise.ts';
import { joinTexts, wholeText } from '../../lib/chunked-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { parseStoredJson } from '../../lib/json/stored-json.ts';
import { type Filter, joinFilters, MATCH_ALL } from '../../stores/filter.ts';
import type { Projection } from '../../stores/ports.ts';
import type { FilterCompiler } from '../filters/compile.ts';
import {
  narrowFilter,
  notPermitted,
  type PermittedStore,
  permitRevisions,
  type VisibleCollection,
} from '../model/access.ts';
import type { Collection, CollectionRegistry } from '../model/collection.ts';
import type { RemovedDocument } from '../model/document-facts.ts';
import type { DocumentLimits, ReadPage, RemovedPage, RequestContext } from '../model/documents.ts';
import type { ReadRequest } from '../model/read-parameters.ts';
import { ownRevisionsFilter } from '../model/revision-owner.ts';
import { REMOVED_AT, REVISION_MEMBERS, REVISION_OWNER, REVISION_REMOVAL } from '../model/stored-document.ts';
import { compileRevisionFilter, createReadView, toPreparedRead } from './prepare-read.ts';
import { type PageReader, toStoreOptions } from './read-page.ts';
import { pageMetadata, resolveReadOptions } from './resolve-read.ts';
import { revisionView } from './revisions.ts';

interface RemovedReaderDeps {
  readonly visible: VisibleCollection;
  readonly store: Pick<PermittedStore, 'findByIds'>;
  readonly registry: Pick<CollectionRegistry, 'list'>;
  readonly filters: FilterCompiler;
  readonly limits: Pick<DocumentLimits, 'pageSize'>;
  readonly pages: PageReader;
}

/** The revisions that say of their document that it is removed: a range, which an index answers. */
const IS_REMOVED: Filter = { kind: 'field', path: REMOVED_AT, tests: [{ kind: 'gte', value: 0 }] };
const NEVER_SHOWN = [...REVISION_MEMBERS, 'history'];

/** Members that every entry needs, whatever fields are asked for. */
const NEEDED: readonly string[] = ['originalDocumentId', REVISION_REMOVAL, 'v'];

function withNeeded(projection: Projection | undefined): Projection {
  const { include, exclude = [] } = projection ?? {};
  return {
    ...(include && { include: [...include, ...NEEDED] }),
    exclude: [...exclude.filter((path) => path !== '_id' && path !== 'v'), REVISION_OWNER],
  };
}

function entryOf(text: string): RemovedDocument {
  const revision = parseStoredJson<JsonObject>(text);
  const removal = revision[REVISION_REMOVAL];
  const { at = null, by = null } = isJsonObject(removal) ? removal : {};
  const id = String(revision['originalDocumentId']);
  const members = Object.entries(revision).filter(([name]) => !NEVER_SHOWN.includes(name));
  return {
    id,
    revision: String(revision['_id']),
    removedAt: Number(at),
    removedBy: typeof by === 'string' ? by : null,
    document: { ...Object.fromEntries(members), _id: id },
  };
}

/** The documents of a page, for hooks. */
export function toDocuments({ entries, metadata }: RemovedPage): ReadPage {
  return { ...joinTexts(entries.map(({ document }) => JSON.stringify(document))), metadata };
}

/** The page with its documents as hooks have left them; what they have taken out is not there. */
export function withDocuments(page: RemovedPage, { text }: Pick<ReadPage, 'text'>): RemovedPage {
  const documents = new Map<Json | undefined, JsonObject>();
  for (const document of JSON.parse(`[${wholeText(text)}]`) as readonly JsonObject[]) {
    documents.set(document['_id'], document);
  }
  const entries = page.entries.flatMap((entry) => {
    const document = documents.get(entry.id);
    return document === undefined ? [] : [{ ...entry, document }];
  });
  return { ...page, entries };
}

/** Makes the function that finds a page of the removed documents of a collection. `beforeGet` hooks have run. */
export function createRemovedReader({ store, registry, visible, filters, limits, pages }: RemovedReaderDeps) {
  /** Documents that came back otherwise, as by an import, are not removed, whatever their revisions say. */
  const withoutPresent = async (
    { namespace }: Collection,
    entries: readonly RemovedDocument[],
    context: RequestContext,
  ): Promise<readonly RemovedDocument[]> => {
    const ids = [...new Set(entries.map(({ id }) => id))];
    const present = await store.findByIds(namespace, ids, toStoreOptions(context));
    const seen = new Set<Json>();
    return entries.filter(({ id }) => {
      const isShown = !present.has(id) && !seen.has(id);
      seen.add(id);
      return isShown;
    });
  };

  /** Throws NOT_PERMITTED for callers who may read no document, or no revision. */
  return async (
    collection: Collection,
    { filter: requested, ...request }: ReadRequest,
    context: RequestContext,
  ): Promise<RemovedPage> => {
    const access = context.caller.access(collection);
    if (access.read === null || access.history === null) throw notPermitted(access, context.caller);
    const narrowing = await compileRevisionFilter(filters, collection, requested, context);
    const defaults = await filters.compileDefaults(collection, context);
    const revisions = revisionView(visible(collection, access));
    const resolved = resolveReadOptions(revisions, request, limits.pageSize, access.hidden);
    const { sort: _sort, ...page } = resolved.page;
    if (!collection.settings.storeRevisions) return { entries: [], metadata: pageMetadata(page, 0) };
    const all = joinFilters([IS_REMOVED, ownRevisionsFilter(collection, registry)]);
    const restorable = narrowFilter(
      permitRevisions(access, 'read', all),
      permitRevisions(access, 'history', MATCH_ALL),
    );
    const filter = narrowFilter(restorable, joinFilters([narrowing, defaults]));
    const view = createReadView({
      projection: withNeeded(resolved.projection),
      compose: false,
      revisions: undefined,
      storeRevisions: false,
    });
    const read = toPreparedRead(revisions, { filter, sort: [[REMOVED_AT, -1]], page, view });
    const found = andThen(pages.readTexts(read, context), (texts) => ({ texts, count: texts.length }));
    const { texts, metadata } = await pages.addMetadata(read, found, context);
    const entries = await mapYielding(texts, entryOf);
    return { entries: await withoutPresent(collection, entries, context), metadata };
  };
}
