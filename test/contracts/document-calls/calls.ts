// One read or write of documents, as data: each way to make it (HTTP, `Model`, hooks) runs the same calls.
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';

interface Read {
  readonly action: 'find' | 'count';
  readonly query?: Json;
  /** Under the names of `Model`. */
  readonly options?: JsonObject;
}

interface Create {
  readonly action: 'create';
  readonly documents: Json;
  readonly options?: JsonObject;
}

interface Update {
  readonly action: 'update';
  readonly query?: Json;
  readonly update?: Json;
  readonly options?: JsonObject;
  /** No document matches: no hook runs. */
  readonly hasNoTarget?: true;
}

interface Delete {
  readonly action: 'delete';
  readonly query?: Json;
  readonly options?: JsonObject;
}

export type DocumentCall = (Read | Create | Update | Delete) & {
  /** `items` unless given. */
  readonly collection?: string;
};

export interface Outcome {
  readonly status: number | null;
  /** Of a call that succeeded. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it finds
  readonly body?: any;
  /** Of one that was refused. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it finds
  readonly errors?: any;
}

/** What stands in a call in place of an id: `id of a`, for the document of this name. */
const ID_OF = /^id of (\w+)$/;

/** The call with the ids that the documents have now. */
export function withIds<T>(call: T, ids: ReadonlyMap<string, string>): T {
  return JSON.parse(JSON.stringify(call), (_key, value) => {
    const name = typeof value === 'string' ? ID_OF.exec(value)?.[1] : undefined;
    if (name === undefined) return value;
    const id = ids.get(name);
    if (id === undefined) throw new Error(`there is no document ${name}`);
    return id;
  });
}

const TIMES: ReadonlySet<string> = new Set(['createdAt', 'lastModifiedAt']);
const VERSIONS: ReadonlySet<unknown> = new Set(['1.0', '2.0']);
const ID = /\b[0-9a-f]{24}\b/g;

/** The value with ids numbered in the order in which they occur, without times and versions: two runs of a call give the same. */
export function withoutIds<T>(value: T): T {
  const numbers = new Map<string, string>();
  const numbered = (id: string) => {
    const number = numbers.get(id) ?? `id ${numbers.size + 1}`;
    numbers.set(id, number);
    return number;
  };
  return JSON.parse(JSON.stringify(value), (key, member) => {
    if (TIMES.has(key) && typeof member === 'number') return 'a time';
    if (key === 'apiVersion' && VERSIONS.has(member)) return 'a version';
    return typeof member === 'string' ? member.replace(ID, numbered) : member;
  });
}

/** Arguments that JSON cannot hold; the code that calls `Model` puts them in. */
const CALLBACK = 'the callback';
const REQUEST = 'the request';
const UNDEFINED = 'undefined';

/** What code of the older server passes for the server to store. It has no effect. */
const INTERNALS = { createdBy: 'someone', createdAt: 1, lastModifiedBy: 'someone', apiVersion: '9.0', v: 7 };

/** The arguments of the method of `Model`, without a callback. */
export function argumentsOf(call: DocumentCall): readonly Json[] {
  const options = call.options === undefined ? [] : [call.options];
  if (call.action === 'create') return [call.documents, ...options];
  const query = call.query === undefined ? UNDEFINED : call.query;
  if (call.action !== 'update') return [query, ...options];
  return [query, call.update === undefined ? UNDEFINED : call.update, ...options];
}

/** No call has more of them. */
export const MAX_ORDERS = 7;

/** Every order of arguments in which code old and new calls `Model`. */
export function argumentOrders(call: DocumentCall): readonly (readonly Json[])[] {
  const [first, ...rest] = argumentsOf(call);
  const given = [first ?? null, ...rest];
  const orders: (readonly Json[])[] = [given, [...given, CALLBACK]];
  if (call.action === 'find' || call.action === 'count') {
    if (call.options === undefined)
      orders.push([...given, UNDEFINED, CALLBACK], [...given, {}, CALLBACK], [...given, null, CALLBACK]);
    if (call.options === undefined && call.query === undefined) orders.push([], [CALLBACK]);
    return orders;
  }
  orders.push([...given, CALLBACK, REQUEST]);
  if (call.action === 'delete' && call.options === undefined) orders.push([...given, {}, CALLBACK]);
  if (call.options === undefined && call.action !== 'delete') {
    orders.push(
      [...given, null, CALLBACK],
      [...given, INTERNALS],
      [...given, INTERNALS, CALLBACK],
      [...given, INTERNALS, CALLBACK, REQUEST],
    );
  }
  return orders;
}

/** Guest code: `run({ collection, action, args }, req)` resolves with `{ok}`, or with `{error}`. */
export const RUN_CALL = `
const describe = (error) => ({
  isError: error instanceof Error, status: error.statusCode ?? null, code: error.code, errors: error.errors ?? null,
});
const run = ({ collection, action, args }, req) => new Promise((resolve) => {
  const callback = (error, result) => resolve(error ? { error: describe(error) } : { ok: result });
  const markers = { '${CALLBACK}': callback, '${REQUEST}': req, '${UNDEFINED}': undefined };
  const given = args.map((one) => (typeof one === 'string' && Object.hasOwn(markers, one) ? markers[one] : one));
  const promise = Model(collection)[action](...given);
  if (!args.includes('${CALLBACK}')) promise.then((result) => callback(null, result), callback);
});
`;

/** What guest code answered with, as an outcome. */
// biome-ignore lint/suspicious/noExplicitAny: it comes from guest code
export function outcomeOf({ ok, error }: any): Outcome {
  if (error === undefined) return { status: 200, body: ok };
  if (!error.isError || typeof error.code !== 'string') throw new Error(`no error: ${JSON.stringify(error)}`);
  return { status: error.status, errors: error.errors };
}
