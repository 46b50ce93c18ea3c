// What an attack is: code that an admin might post, the requests that set it off, and the only ways in which it may end.
import type { Isolation } from '../../../sandbox/protocol.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';

/** How one request, or the upload, ends. */
export type Ending =
  /** An ordinary answer. Headers: a text or pattern to match, null for one that must be absent. */
  | {
      readonly status: number;
      readonly body?: string | RegExp;
      readonly headers?: Readonly<Record<string, string | RegExp | null>>;
    }
  /** An error of ours with one of these codes. */
  | { readonly codes: readonly string[] }
  /** An ordinary 2xx with a body of at most so many bytes, or one of these errors: what a limit leaves open. */
  | { readonly codes: readonly string[]; readonly orBytes: number }
  /** The upload, or its policy, is refused with one of these. */
  | { readonly refused: readonly string[] };

export interface AttackRequest {
  readonly method?: string;
  /** Added to the path of the endpoint, or of the collection. */
  readonly path?: string;
  /** `{{user}}` stands for the token of a client without permissions, `{{writer}}` for that of one who may write every collection. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How it ends, where that of the attack does not say it. */
  readonly expect?: Ending;
  /** All that the log of the module has of it. Not looked at unless given. */
  readonly log?: readonly string[];
  /** Its answer comes within so many milliseconds of the event loop. */
  readonly withinMs?: number;
}

export interface Attack {
  readonly title: string;
  /** `{{allowed}}` and `{{canary}}` stand for addresses that a grant covers and does not cover. */
  readonly source: string;
  /** It is a hook, of this event, on a collection of its own; else an endpoint. */
  readonly hook?: string;
  /** The realm unless given: once in each. */
  readonly isolations?: readonly Isolation[];
  /** Put before the calls; with the isolation in it. */
  readonly policy?: JsonObject;
  /** In turn; one unless given: a GET, or for a hook of writes a POST of a document. */
  readonly requests?: readonly AttackRequest[];
  /** The requests are sent all at once. */
  readonly atOnce?: boolean;
  /** Instead of `requests`: in turn, and those of each round at once. */
  readonly rounds?: readonly (readonly AttackRequest[])[];
  /**
   * Sent before, many at once and again and again, until the host that runs them has stopped to be careful: for a while after a long
   * time slice, such as the first of an isolate, it lets no requests share an entry.
   */
  readonly warmUp?: AttackRequest;
  /** A text that no request gets to see, in its answer or in its log, unless its path or its body holds it. */
  readonly secret?: string;
  /** The answers of all requests are the same. */
  readonly alike?: boolean;
  /** It ends processes: a request that runs again in another one logs again. */
  readonly endsHosts?: boolean;
  /** One for all requests, or one for each. */
  readonly expect: Ending | readonly Ending[];
  /** Another endpoint, called after the last request: what it sees of the first. */
  readonly witness?: { readonly source: string; readonly expect: Ending };
}

export const ALL_WALLS: readonly Isolation[] = ['realm', 'context', 'isolate'];

/** A probe found no way out. */
export const HELD: Ending = { status: 200, body: 'held' };

export const TIMEOUT: Ending = { codes: ['ENDPOINT_TIMEOUT'] };

/** Code that asks for more memory than it may have. Some is refused by the engine, which the code may survive. */
export const STARVED: Ending = {
  codes: ['ENDPOINT_MEMORY', 'ENDPOINT_CRASHED', 'ENDPOINT_TIMEOUT', 'ENDPOINT_ERROR'],
  orBytes: 100,
};

/** Small limits, so that a bomb is over soon. */
export const BOMB: JsonObject = { version: 1, limits: { cpuMs: 100, wallMs: 500, heapMb: 32 } };

/** For code that ends by itself: as much as a policy may give, so that no stall of the machine ends it before. */
export const PATIENT: JsonObject = { cpuMs: 5000, wallMs: 15_000 };

const PRELUDE = `
const found = [];
const attempt = function (name, run) {
  try {
    const got = run();
    if (got) found.push(name + ': ' + String(got).slice(0, 200));
  } catch {}
};
/** Functions of ours that are no constructors of code are left alone: calling res.end would end the response. */
const runsCode = function (F) {
  if (!/Function$|native code/.test(F.name + Function.prototype.toString.call(F))) return false;
  try { return F('return 1 + 1')() === 2 && 'a constructor of code'; } catch { return false; }
};
const INSIDE = [Object.prototype, Function.prototype];
const NAMES = ['process', 'Buffer', 'mainModule', 'binding', 'Isolate', 'ExternalCopy', 'Reference', 'deref', 'applySync'];
/** What makes a value one of the host's, or nothing. */
const outside = function (value) {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  for (const name of NAMES) if (name in value) return 'has ' + name;
  let last = value;
  for (let next = value; next !== null; next = Object.getPrototypeOf(next)) last = next;
  if (Object.hasOwn(last, 'hasOwnProperty') && !INSIDE.includes(last)) return 'a foreign prototype';
  const made = value.constructor;
  return typeof made === 'function' && (runsCode(made) || runsCode(made.constructor));
};
/** Everything that the code is handed. */
const HANDED = { module, exports, require, console, globalThis };
for (const name of Object.getOwnPropertyNames(globalThis)) attempt(name, function () { HANDED[name] = globalThis[name]; });
for (const [name, get] of Object.entries({
  setTimeout: () => setTimeout, clearTimeout: () => clearTimeout, setInterval: () => setInterval,
  queueMicrotask: () => queueMicrotask, crypto: () => crypto, subtle: () => crypto.subtle, URL: () => URL,
  URLSearchParams: () => URLSearchParams, TextEncoder: () => TextEncoder, TextDecoder: () => TextDecoder,
  structuredClone: () => structuredClone, atob: () => atob, btoa: () => btoa, Math: () => Math,
  Model: () => Model, fetch: () => fetch,
})) attempt(name, function () { HANDED[name] = get(); });
`;

/** An endpoint that runs `code`, which notes what it got hold of in `found`, and answers `held` when that is nothing. */
export function probe(code: string): string {
  return `${PRELUDE}
module.exports.get = async function (req, res, next) {
  HANDED.req = req; HANDED.res = res; HANDED.next = next;
  ${code}
  res.end(found.length === 0 ? 'held' : 'FOUND ' + found.join(' | '));
};
`;
}
