// Reads of collections with hooks: `beforeGet` may change what is asked, `afterGet` what is answered.
import { AppError } from '../../errors.ts';
import { mapYielding } from '../../lib/async/yielding.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { type HookDeps, type HookSession, hasHooks, openHookSession } from '../hooks/hook-session.ts';
import type { Collection } from '../model/collection.ts';
import type { DocumentService, Metadata, Page, ReadRequest, RequestContext } from '../model/documents.ts';
import { joinedPageJson } from '../model/page-json.ts';
import { checkHookRequest, decodeHookRequest, encodeHookRequest } from './hook-request.ts';

type DocumentReader = Pick<DocumentService, 'list' | 'get' | 'count' | 'history'>;

/** True when the answer to a read depends on hooks, and so on more than its address and who may see what. */
export function hasReadHooks({ settings: { hooks } }: Pick<Collection, 'settings'>): boolean {
  return hooks !== null && (hooks.beforeGet !== undefined || hooks.afterGet !== undefined);
}

function checkPage(result: Json): string | undefined {
  const { results, metadata } = isJsonObject(result) ? result : {};
  return Array.isArray(results) && results.every(isJsonObject) && isJsonObject(metadata)
    ? undefined
    : 'must return an object with `results`, a list of objects, and `metadata`, an object';
}

async function runBeforeGet(session: HookSession, collection: Collection, request: ReadRequest) {
  const result = await session.transformText(
    { event: 'beforeGet', collection },
    encodeHookRequest(request),
    checkHookRequest,
  );
  return result === undefined ? request : decodeHookRequest(result as JsonObject);
}

async function runAfterGet(session: HookSession, collection: Collection, page: Page): Promise<Page> {
  const text = joinedPageJson(page.results.join(','), { metadata: page.metadata });
  const changed = await session.transformText({ event: 'afterGet', collection }, text, checkPage);
  if (changed === undefined) return page;
  const { results, metadata } = changed as { results: JsonObject[]; metadata: JsonObject };
  return {
    results: await mapYielding(results, (document) => JSON.stringify(document)),
    // The members of `metadata` are for clients; the server reads none of them.
    metadata: metadata as unknown as Metadata,
  };
}

/** What a hook sees of a read by id: the id is part of the filter, which the client's own may not replace. */
function withIdFilter(id: string, { filter, ...options }: ReadRequest): ReadRequest {
  if (filter === undefined) return { ...options, filter: { _id: id } };
  const joined = Object.hasOwn(filter, '_id') ? { $and: [{ _id: id }, filter] } : { ...filter, _id: id };
  return { ...options, filter: joined };
}

function createHookedReader(reader: DocumentReader, tools: HookDeps): DocumentReader {
  const begin = (context: RequestContext) => openHookSession(tools, context);
  return {
    async list(collection, request, context) {
      using session = begin(context);
      const changed = await runBeforeGet(session, collection, request);
      return await runAfterGet(session, collection, await reader.list(collection, changed, session.context));
    },
    async get(collection, id, request, context) {
      using session = begin(context);
      const changed = await runBeforeGet(session, collection, withIdFilter(id, request));
      const found = await reader.get(collection, id, changed, session.context);
      if (found.results.length === 0) return found;
      const page = await runAfterGet(session, collection, found);
      return { ...page, v: page.results.length === 0 ? undefined : found.v };
    },
    async count(collection, request, context) {
      using session = begin(context);
      return await reader.count(
        collection,
        await runBeforeGet(session, collection, request),
        session.context,
      );
    },
    async history(collection, id, request, context) {
      using session = begin(context);
      if (hasHooks({ event: 'beforeGet', collection })) {
        // Revisions hold what their documents held: who may not see the one may not see the other.
        const { filter } = await runBeforeGet(session, collection, withIdFilter(id, {}));
        const seen = await reader.get(collection, id, { filter: filter ?? {} }, session.context);
        if (seen.v === undefined) throw new AppError('DOCUMENT_NOT_FOUND');
      }
      return await runAfterGet(
        session,
        collection,
        await reader.history(collection, id, request, session.context),
      );
    },
  };
}

/** The reader with hooks around it. Collections without hooks for reads go straight through. */
export function withReadHooks(reader: DocumentReader, tools: HookDeps): DocumentReader {
  const hooked = createHookedReader(reader, tools);
  const of = (collection: Collection) => (hasReadHooks(collection) ? hooked : reader);
  return {
    list: (collection, ...rest) => of(collection).list(collection, ...rest),
    get: (collection, ...rest) => of(collection).get(collection, ...rest),
    count: (collection, ...rest) => of(collection).count(collection, ...rest),
    history: (collection, ...rest) => of(collection).history(collection, ...rest),
  };
}
