// Hooks of reads: `beforeGet` may change the request, `afterGet` the page. Reads of collections without them do not come here.
import { mapYielding } from '../../lib/async/maybe-promise.ts';
import { joinTexts, wholeText } from '../../lib/chunked-text.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { type HookDeps, type HookSession, hasHooks, openHookSession } from '../hooks/document-hooks.ts';
import { type CollectionAccess, withoutHiddenMembers } from '../model/access.ts';
import type { Collection } from '../model/collection.ts';
import type { Metadata, ReadPage, RequestContext } from '../model/documents.ts';
import { joinedPageJson } from '../model/page-json.ts';
import {
  buildReadRequest,
  READ_PARAMETER_KINDS,
  READ_PARAMETERS,
  type ReadRequest,
} from '../model/read-parameters.ts';

/** The hooks of one read. */
export interface ReadHooks {
  /** The context of the read; the time that hooks take does not count against its deadline. */
  readonly context: RequestContext;
  /** `beforeGet` may change the request and the filter decides which documents are visible. */
  readonly hasBefore: boolean;
  /** Runs `beforeGet`. Returns the request to read with. */
  before(request: ReadRequest): Promise<ReadRequest>;
  /** The same for a read by id: the hooks see the id in the filter, where the filter of the client cannot replace it. */
  beforeOne(id: string, request: ReadRequest): Promise<ReadRequest>;
  /** Runs `afterGet`. Returns the page to answer with. */
  after(page: ReadPage): Promise<ReadPage>;
}

/** Runs a read between its hooks, which end with it. */
export async function readBetweenHooks<T>(
  deps: HookDeps,
  { collection, context }: { readonly collection: Collection; readonly context: RequestContext },
  read: (hooks: ReadHooks) => Promise<T>,
): Promise<T> {
  using session = openHookSession(deps, context);
  return await read(createReadHooks(session, collection, context.caller.access(collection)));
}

function createReadHooks(session: HookSession, collection: Collection, access: CollectionAccess): ReadHooks {
  const before = async (request: ReadRequest) => {
    const point = { event: 'beforeGet', collection } as const;
    const result = await session.transformText(point, encodeHookRequest(request), checkHookRequest);
    return result === undefined ? request : decodeHookRequest(result as JsonObject);
  };
  return {
    context: session.context,
    hasBefore: hasHooks({ event: 'beforeGet', collection }),
    before,
    beforeOne: (id, request) => before(withIdFilter(id, request)),
    async after(page) {
      const text = joinedPageJson(wholeText(page.text), { metadata: page.metadata });
      const changed = await session.transformText({ event: 'afterGet', collection }, text, checkPage);
      if (changed === undefined && (access.hidden.size === 0 || !hasHooks({ event: 'afterGet', collection })))
        return page;
      const { results, metadata } = (changed ?? JSON.parse(text)) as {
        results: JsonObject[];
        metadata: JsonObject;
      };
      return {
        ...joinTexts(
          await mapYielding(results, (document) => JSON.stringify(withoutHiddenFields(document, access))),
        ),
        // The members of `metadata` are for clients; the server reads none of them.
        metadata: metadata as unknown as Metadata,
      };
    },
  };
}

/** The page of a read whose hooks do not run: they would have seen the hidden fields, and these go behind them. */
export async function withoutHiddenOfPage(
  page: ReadPage,
  collection: Collection,
  { caller }: RequestContext,
): Promise<ReadPage> {
  const access = caller.access(collection);
  if (access.hidden.size === 0) return page;
  const results = JSON.parse(`[${wholeText(page.text)}]`) as JsonObject[];
  const shown = await mapYielding(results, (document) =>
    JSON.stringify(withoutHiddenFields(document, access)),
  );
  return { ...joinTexts(shown), metadata: page.metadata };
}

/** A document without hidden fields: hooks have seen them. */
function withoutHiddenFields(document: JsonObject, access: CollectionAccess): JsonObject {
  const shown = withoutHiddenMembers(document, access);
  const { composed } = shown;
  return isJsonObject(composed) ? { ...shown, composed: withoutHiddenMembers(composed, access) } : shown;
}

function withIdFilter(id: string, { filter, ...options }: ReadRequest): ReadRequest {
  if (filter === undefined) return { ...options, filter: { _id: id } };
  const joined = Object.hasOwn(filter, '_id') ? { $and: [{ _id: id }, filter] } : { ...filter, _id: id };
  return { ...options, filter: joined };
}

/** Returns what is wrong with the result of `afterGet`. */
function checkPage(result: Json): string | undefined {
  const { results, metadata } = isJsonObject(result) ? result : {};
  return Array.isArray(results) && results.every(isJsonObject) && isJsonObject(metadata)
    ? undefined
    : 'must return an object with `results`, a list of objects, and `metadata`, an object';
}

/** An option that the hook returned; null counts as absent. */
const getOption = (options: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(options, name) ? (options[name] ?? undefined) : undefined;

/** The request as JSON text for hooks: `{filter, options}`. Options that the client did not send are absent. */
export function encodeHookRequest(request: ReadRequest): string {
  const options = READ_PARAMETERS.flatMap(({ key, hookOption }) =>
    hookOption === null ? [] : [[hookOption, request[key]] as const],
  );
  return JSON.stringify({ filter: request.filter ?? {}, options: Object.fromEntries(options) });
}

/** Returns what is wrong with the result of `beforeGet`; undefined when it can be decoded. */
export function checkHookRequest(result: Json): string | undefined {
  const { filter, options = {} } = isJsonObject(result) ? result : {};
  if (!isJsonObject(filter)) return 'must return an object with a `filter` that is an object';
  if (!isJsonObject(options)) return 'must return `options` that are an object';
  for (const { hookOption, kind } of READ_PARAMETERS) {
    const value = hookOption === null ? undefined : getOption(options, hookOption);
    const { parse, description } = READ_PARAMETER_KINDS[kind];
    if (value !== undefined && parse(value) === undefined) {
      return `must return options whose \`${hookOption}\` is ${description}`;
    }
  }
  return undefined;
}

/** The request that `beforeGet` returned. Options of other names are ignored, as unknown query parameters are. */
export function decodeHookRequest(result: JsonObject): ReadRequest {
  const { filter, options } = result as { filter: JsonObject; options?: JsonObject };
  return buildReadRequest(({ hookOption, kind }) => {
    if (hookOption === null) return filter;
    const value = getOption(options ?? {}, hookOption);
    return value === undefined ? undefined : READ_PARAMETER_KINDS[kind].parse(value);
  });
}
