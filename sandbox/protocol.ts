// What crosses the pipe between the server and a sandbox host, in both directions. Types only: nothing here runs.
//
// A frame is two big-endian 32-bit lengths, then a header (JSON, UTF-8), then raw bytes:
//   [u32 header bytes][u32 raw bytes][header][raw]
// Texts of any size (code, requests, responses, log lines) are raw bytes; the header says where each begins and ends by
// listing sizes in order. Each side checks both lengths before it reads on, and the server takes everything that comes from
// a host for hostile: one frame that breaks the protocol ends that host.

export type Isolation = 'realm' | 'context' | 'isolate';
export type ModuleKind = 'endpoint' | 'hook';

/** How one version of a module is to be run. */
export interface LoadOptions {
  readonly kind: ModuleKind;
  readonly isolation: Isolation;
  /** Milliseconds that evaluating the module may take. */
  readonly loadMs: number;
  /** Milliseconds of CPU that one request may use in all its time slices. */
  readonly cpuMs: number;
  /** Milliseconds from the begin of a request's first time slice after which the server ends it; a time slice that begins late has 200. */
  readonly wallMs: number;
  readonly heapMb: number;
  readonly responseBytes: number;
  readonly logBytes: number;
  readonly logLines: number;
  readonly hostCalls: number;
  readonly timers: number;
  /** Largest delay of a timer, in milliseconds. */
  readonly timerMs: number;
  /** Whether `Model` (and `require('@dadi/api')`) and `fetch` are there at all. */
  readonly model: boolean;
  readonly fetch: boolean;
  /** Whether `require('bcrypt')` is. */
  readonly bcrypt: boolean;
  /** JSON text of what `Config.get` answers; empty while code is only inspected. */
  readonly config: string;
}

/** From the server to a host. Raw bytes are named beside each member. */
export type ToHost =
  /** Keep this code under the number `moduleNumber`. Raw: the source. */
  | ({ readonly t: 'load'; readonly moduleNumber: number; readonly name: string } & LoadOptions)
  /**
   * Run these requests, in order. `requests`: [number, bytes of its head, bytes of its body]. Raw: head, body, head, body, …
   * `maxInFlight`: how many requests of this module version may be begun and unfinished in this host; those beyond it go back unrun.
   */
  | {
      readonly t: 'run';
      readonly moduleNumber: number;
      readonly maxInFlight: number;
      readonly requests: readonly (readonly [number, number, number])[];
    }
  /** The answer to a guest call. Raw: JSON text of the result, or of `{code, message}` when not `ok`. */
  | {
      readonly t: 'deliver';
      readonly moduleNumber: number;
      readonly number: number;
      readonly call: number;
      readonly ok: boolean;
    }
  /** Forget a request that waits: nothing more of it may run. */
  | { readonly t: 'forget'; readonly moduleNumber: number; readonly number: number }
  /** Dispose of what is kept for this module version. */
  | { readonly t: 'drop'; readonly moduleNumber: number }
  /** Compile this code and evaluate it once in an isolate of its own. Raw: the source. */
  | {
      readonly t: 'inspect';
      readonly id: number;
      readonly kind: ModuleKind;
      readonly loadMs: number;
      readonly heapMb: number;
    };

/**
 * What a request sent out of its isolate.
 * - `end`: the response. Head: `[status, [[name, value], …], "text" | "base64"]`. Body: the body.
 * - `result`: what a hook returned. Body: JSON text, empty for undefined.
 * - `next`: the handler passed. Head: `{}` for `next()`, else `{"message": …, "statusCode"?: …}`. Body: as for `error`, with a status.
 * - `error`: it threw or rejected. Head: `{"message": …, "stack"?: …}`, the stack in lines of the author's text. Of a hook also
 *   `"code"?`, text, and `"statusCode"?`, 400 to 499; and as body JSON of the list of errors that the thrown value is or has, if any:
 *   `[{"field"?, "message", "code"?, "title"?, "details"?, "hookName"?, "index"?}, …]`.
 * - `silent`: it answered nothing and waits for nothing.
 * - `call`: a guest call. Head: `{"call": n, "name": …}`. Body: JSON text of the arguments.
 * - `log`: Head: `{"level": …, "message": …, "stack"?: …}`.
 */
export type GuestEventKind = 'end' | 'result' | 'next' | 'error' | 'silent' | 'call' | 'log';

/** Why a time slice did not run to its end. */
export type SliceError = 'timeout' | 'memory' | 'load';

/** From a host to the server. */
export type FromHost =
  /** Locked and listening. */
  | {
      readonly t: 'ready';
      readonly versions: { readonly node: string; readonly v8: string; readonly isolatedVm: string };
      /** Isolation layers that the host has put around itself: name → in force. */
      readonly layers: Readonly<Record<string, boolean>>;
    }
  /**
   * What happened since the last frame. `events`: [number, kind, bytes of its head, bytes of its body]; raw: head, body, ….
   * `errors`: [number, error, message]. `returned`: requests not begun, to be sent again. `idle`: the oldest unanswered `run` or
   * `deliver` is done with; each of them is answered by one such frame, and before it by one for each of its requests at most.
   */
  | {
      readonly t: 'results';
      readonly moduleNumber: number;
      readonly events: readonly (readonly [number, GuestEventKind, number, number])[];
      readonly errors: readonly (readonly [number, SliceError, string])[];
      readonly returned: readonly number[];
      readonly idle: boolean;
      /** Longest time slice since the last frame, in milliseconds. */
      readonly sliceMs: number;
      /** Processor time of all time slices since the last frame, in milliseconds. */
      readonly cpuMs: number;
      /** Bytes of the heap after the time slices, buffers included; 0: it was not looked at. */
      readonly heapBytes: number;
      /**
       * The isolate was disposed: every other request that waited in it is lost. An error in this frame names the request that was
       * certainly the cause; without one it is uncertain.
       */
      readonly disposed: boolean;
    }
  | { readonly t: 'inspected'; readonly id: number; readonly inspection: Inspection }
  /** The host cannot go on; it kills itself after this. */
  | { readonly t: 'lost'; readonly number: number | null };

/** What evaluating a module once has shown. Lines and columns are of the author's text, from 1. */
export type Inspection =
  | {
      readonly ok: true;
      /** Upper-case methods that have a handler; for a hook, empty. */
      readonly methods: readonly string[];
      /** `module.exports.model.settings`, as JSON. */
      readonly settings: Readonly<Record<string, unknown>>;
      /** `module.exports.config().route`. */
      readonly route: string | null;
      /** JSON text of `module.exports.openapi`; null where there is none that can be copied. */
      readonly openapi: string | null;
      readonly warnings: readonly string[];
      /** What the warnings suggest, if anything. */
      readonly isolation: Isolation | null;
    }
  | {
      readonly ok: false;
      readonly code: 'ENDPOINT_SYNTAX' | 'ENDPOINT_LOAD';
      readonly message: string;
      readonly line: number | null;
      readonly column: number | null;
    };

/** The request as the guest gets it: the head of a request of an endpoint. The body follows as text. */
export interface GuestRequest {
  readonly method: string;
  /** Path and query as they came. */
  readonly url: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Only the granted ones, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** How the guest is to read the body text. */
  readonly bodyType: 'none' | 'json' | 'form' | 'text';
  readonly client: { readonly id: string; readonly clientId: string; readonly accessType: string } | null;
  readonly ip: string;
}

/**
 * A call of a hook: the head of its request. The body is the JSON text of `obj`. Where `updatedDocs` or `deletedDocs` in `data` are the
 * documents as they are stored, `previousDocs` is left out: the guest side gives it the same list.
 */
export interface HookCall {
  /** Such as `beforeCreate`. */
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}
