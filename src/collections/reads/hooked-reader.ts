// Reads of collections with hooks: `beforeGet` may change what is asked, `afterGet` what is answered.
import { AppError } from '../../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { mapInSlices } from '../../lib/slices.ts';
import type { Collection } from '../collection.ts';
import type { Context, DocumentService, Metadata, Page, ReadRequest } from '../documents.ts';
import { beginHooks, type HookSession, type HookTools, hasHooks } from '../hook-session.ts';
import { requestFault, requestOf, requestText } from './hooked-request.ts';

type Reader = Pick<DocumentService, 'list' | 'get' | 'count' | 'history'>;

/** True when the answer to a read depends on hooks, and so on more than its address and who may see what. */
export function readsThroughHooks({ settings: { hooks } }: Pick<Collection, 'settings'>): boolean {
  return hooks !== null && (hooks.beforeGet !== undefined || hooks.afterGet !== undefined);
}

function pageFault(result: Json): string | undefined {
  const { results, metadata } = isJsonObject(result) ? result : {};
  return Array.isArray(results) && results.every(isJsonObject) && isJsonObject(metadata)
    ? undefined
    : 'must return an object with `results`, a list of objects, and `metadata`, an object';
}

async function changedRequest(session: HookSession, collection: Collection, request: ReadRequest) {
  const result = await session.replace(
    { event: 'beforeGet', collection },
    requestText(request),
    requestFault,
  );
  return result === undefined ? request : requestOf(result as JsonObject);
}

async function changedPage(session: HookSession, collection: Collection, page: Page): Promise<Page> {
  const text = `{"results":[${page.results.join(',')}],"metadata":${JSON.stringify(page.metadata)}}`;
  const changed = await session.replace({ event: 'afterGet', collection }, text, pageFault);
  if (changed === undefined) return page;
  const { results, metadata } = changed as { results: JsonObject[]; metadata: JsonObject };
  return {
    results: await mapInSlices(results, (document) => JSON.stringify(document)),
    // The members of `metadata` are for clients; the server reads none of them.
    metadata: metadata as unknown as Metadata,
  };
}

/** What a hook sees of a read by id: the id is part of the filter, which the client's own may not replace. */
function aboutOne(id: string, { filter, ...options }: ReadRequest): ReadRequest {
  if (filter === undefined) return { ...options, filter: { _id: id } };
  const joined = Object.hasOwn(filter, '_id') ? { $and: [{ _id: id }, filter] } : { ...filter, _id: id };
  return { ...options, filter: joined };
}

function createHooked(reader: Reader, tools: HookTools): Reader {
  const begin = (context: Context) => beginHooks(tools, context);
  return {
    async list(collection, request, context) {
      using session = begin(context);
      const changed = await changedRequest(session, collection, request);
      return await changedPage(session, collection, await reader.list(collection, changed, session.context));
    },
    async get(collection, id, request, context) {
      using session = begin(context);
      const changed = await changedRequest(session, collection, aboutOne(id, request));
      const found = await reader.get(collection, id, changed, session.context);
      if (found.results.length === 0) return found;
      const page = await changedPage(session, collection, found);
      return { ...page, v: page.results.length === 0 ? undefined : found.v };
    },
    async count(collection, request, context) {
      using session = begin(context);
      return await reader.count(
        collection,
        await changedRequest(session, collection, request),
        session.context,
      );
    },
    async history(collection, id, request, context) {
      using session = begin(context);
      if (hasHooks({ event: 'beforeGet', collection })) {
        // Revisions hold what their documents held: who may not see the one may not see the other.
        const { filter } = await changedRequest(session, collection, aboutOne(id, {}));
        const seen = await reader.get(collection, id, { filter: filter ?? {} }, session.context);
        if (seen.v === undefined) throw new AppError('DOCUMENT_NOT_FOUND');
      }
      return await changedPage(
        session,
        collection,
        await reader.history(collection, id, request, session.context),
      );
    },
  };
}

/** The reader with hooks around it. Collections without hooks for reads go straight through. */
export function withReadHooks(reader: Reader, tools: HookTools): Reader {
  const hooked = createHooked(reader, tools);
  const of = (collection: Collection) => (readsThroughHooks(collection) ? hooked : reader);
  return {
    list: (collection, ...rest) => of(collection).list(collection, ...rest),
    get: (collection, ...rest) => of(collection).get(collection, ...rest),
    count: (collection, ...rest) => of(collection).count(collection, ...rest),
    history: (collection, ...rest) => of(collection).history(collection, ...rest),
  };
}
