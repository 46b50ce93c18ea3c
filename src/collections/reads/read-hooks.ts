// Hooks of reads: `beforeGet` may change the request, `afterGet` the page. Collections without them cost nothing.
import { mapYielding } from '../../lib/async/yielding.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { type HookDeps, hasHooks, openHookSession } from '../hooks/hook-session.ts';
import type { Collection } from '../model/collection.ts';
import type { Metadata, Page, RequestContext } from '../model/documents.ts';
import { joinedPageJson } from '../model/page-json.ts';
import {
  buildReadRequest,
  READ_PARAMETER_KINDS,
  READ_PARAMETERS,
  type ReadRequest,
} from '../model/read-request.ts';

/** The hooks of one read. Dispose of it when the read is done. */
export interface ReadHooks extends Disposable {
  /** The context of the read; the time that hooks take does not count against its deadline. */
  readonly context: RequestContext;
  /** `beforeGet` may change the request and the filter decides which documents are visible. */
  readonly hasBefore: boolean;
  /** Runs `beforeGet`. Returns the request to read with. */
  before(request: ReadRequest): Promise<ReadRequest>;
  /** The same for a read by id: the hooks see the id in the filter, where the filter of the client cannot replace it. */
  beforeOne(id: string, request: ReadRequest): Promise<ReadRequest>;
  /** Runs `afterGet`. Returns the page to answer with. */
  after(page: Page): Promise<Page>;
}

/** True when the result of a read depends on hooks, and not only on its parameters and on who may read what. */
export function hasReadHooks({ settings: { hooks } }: Pick<Collection, 'settings'>): boolean {
  return hooks !== null && (hooks.beforeGet !== undefined || hooks.afterGet !== undefined);
}

export function openReadHooks(deps: HookDeps, collection: Collection, context: RequestContext): ReadHooks {
  if (!hasReadHooks(collection)) {
    return {
      context,
      hasBefore: false,
      before: async (request) => request,
      beforeOne: async (_id, request) => request,
      after: async (page) => page,
      [Symbol.dispose]: () => undefined,
    };
  }
  const session = openHookSession(deps, context);
  const before: ReadHooks['before'] = async (request) => {
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
      const text = joinedPageJson(page.results.join(','), { metadata: page.metadata });
      const changed = await session.transformText({ event: 'afterGet', collection }, text, checkPage);
      if (changed === undefined) return page;
      const { results, metadata } = changed as { results: JsonObject[]; metadata: JsonObject };
      return {
        results: await mapYielding(results, (document) => JSON.stringify(document)),
        // The members of `metadata` are for clients; the server reads none of them.
        metadata: metadata as unknown as Metadata,
      };
    },
    [Symbol.dispose]: () => session[Symbol.dispose](),
  };
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

const ownMember = (object: JsonObject, name: string) =>
  Object.hasOwn(object, name) ? object[name] : undefined;

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
    const value = hookOption === null ? undefined : ownMember(options, hookOption);
    const { accepts, description } = READ_PARAMETER_KINDS[kind];
    if (value !== undefined && !accepts(value)) {
      return `must return options whose \`${hookOption}\` is ${description}`;
    }
  }
  return undefined;
}

/** The request that `beforeGet` returned. Options of other names are ignored, as unknown query parameters are. */
export function decodeHookRequest(result: JsonObject): ReadRequest {
  const { filter, options } = result as { filter: JsonObject; options?: JsonObject };
  return buildReadRequest(({ hookOption }) =>
    hookOption === null ? filter : ownMember(options ?? {}, hookOption),
  );
}
