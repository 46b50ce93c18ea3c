// The sandbox as the rest of the server uses it. Types only; `supervisor.ts` implements it.
import type { Inspection, ModuleKind } from '../../../sandbox/protocol.ts';
import type { ErrorItem } from '../../errors/errors.ts';
import type { ModuleVersion } from './module-version.ts';

/** A call from guest code to the server: `timer`, `fetch`, `model.find`, `model.create`, … */
export interface GuestCall {
  readonly name: string;
  /** JSON text, written by the guest: hostile. */
  readonly args: string;
}

/** `text`: JSON of the result, or of `{code, message}` when not ok. */
export interface GuestCallResult {
  readonly ok: boolean;
  readonly text: string;
}

/** A log line of guest code: hostile text. */
export interface GuestLogRecord {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly stack?: string;
}

/** One call of one module version. */
export interface InvocationRequest {
  readonly moduleVersion: ModuleVersion;
  /** JSON of a GuestRequest or HookCall. */
  readonly head: string;
  readonly body: string;
  /** Performs a guest call. Never rejects. The signal aborts when the invocation has ended. */
  performGuestCall(call: GuestCall, signal: AbortSignal): Promise<GuestCallResult>;
  log(record: GuestLogRecord): void;
}

export type InvocationErrorCode =
  | 'ENDPOINT_ERROR'
  | 'ENDPOINT_TIMEOUT'
  | 'ENDPOINT_MEMORY'
  | 'ENDPOINT_CRASHED'
  | 'ENDPOINT_RESPONSE_TOO_LARGE'
  | 'ENDPOINT_BUSY'
  | 'ENDPOINT_RATE_LIMITED'
  | 'ENDPOINT_SUSPENDED'
  | 'SANDBOX_DISABLED';

/** An error of guest code that was thrown, or passed to `next`. */
export interface PassedError {
  /** Hostile text. */
  readonly message: string;
  /** 400 to 599; of a hook 400 to 499. */
  readonly statusCode?: number;
  /** What is wrong with each field: of the author, or passed on from a failed call of `Model`. Cleaned, one at least. */
  readonly items?: readonly ErrorItem[];
}

/** How an invocation ended. Status, headers and body of a response are well-formed, but not yet checked against the grants. */
export type InvocationResult =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: readonly (readonly [name: string, value: string])[];
      readonly body: string | Buffer;
    }
  /** What a hook returned, as JSON; undefined for nothing. */
  | { readonly kind: 'result'; readonly json: string | undefined }
  /** `next()`, or `next(error)` with a message for the log. */
  | { readonly kind: 'next'; readonly error?: PassedError }
  /** `message` and `stack` are for the log of the module; they never reach a caller. */
  | {
      readonly kind: 'failure';
      readonly code: InvocationErrorCode;
      readonly message: string;
      /** For the caller, in place of the usual text: written by the server, never by the module. */
      readonly shown?: string;
      /** With line numbers of the author's text. */
      readonly stack?: string;
      /** What the module threw. The text is hostile: that of a hook is sent to the caller, cleaned. */
      readonly thrown?: PassedError & { readonly code?: string };
    };

/** A violation of a limit, or the exit of a host, for reviewers and the circuit breaker. */
export interface Incident {
  /** Null: a host exited that had run no module. */
  readonly moduleId: string | null;
  /** Number of the version that ran; 0 when none did. */
  readonly version: number;
  /** Hash of the code that ran; that of the active version if absent. */
  readonly sha256?: string;
  /** `kill` and `crash`: a host exited. `violation`: a limit was enforced without that. */
  readonly kind: 'kill' | 'crash' | 'violation';
  /** Name of the limit: `cpuMs`, `wallMs`, `heapMb`, `hostMemory`, `responseBytes`, `protocol`, … */
  readonly limit: string;
  /**
   * Whether it counts towards suspension. An exit does unless this is false, as the module need not be to blame. A violation does
   * only if this is true: an isolate was lost with it, which the host survived.
   */
  readonly counts?: boolean;
}

/** One attempt of the self-test: what it tried, and whether the isolation held. */
export interface SelfTestItem {
  /** Such as `read a file outside`. */
  readonly attempt: string;
  readonly held: boolean;
  /** What happened, in words without paths. */
  readonly detail: string;
}

export interface SelfTest {
  readonly state: 'not-run' | 'running' | 'passed' | 'failed';
  readonly items: readonly SelfTestItem[];
}

/** A finished self-test. */
export interface SelfTestResult extends SelfTest {
  /** Isolation layers by name: true for those that are active and held. */
  readonly layers: Readonly<Record<string, boolean>>;
}

export interface HostStatus {
  /** `spare`: it has run nothing yet. */
  readonly state: 'starting' | 'spare' | 'idle' | 'busy';
  /** Resident bytes; null where the system does not tell. */
  readonly memory: number | null;
  /** Seconds since it was started. */
  readonly uptime: number;
  /** With the just-in-time compiler. */
  readonly jit: boolean;
}

export interface SandboxStatus {
  /** Isolation level that the self-test has proven, 1 to 3; 0 before it has run. */
  readonly level: number;
  /** What the next level needs, in words; empty at the highest level and before the self-test has run. */
  readonly missing: readonly string[];
  /** Active isolation layers by name; empty before the first host has started. */
  readonly layers: Readonly<Record<string, boolean>>;
  readonly selfTest: SelfTest;
  /** The same for the hosts of `sandbox.jitDomains`; null where there are no such domains. */
  readonly jit: { readonly level: number; readonly selfTest: SelfTest } | null;
  readonly hosts: {
    readonly running: number;
    readonly busy: number;
    readonly spare: number;
    readonly max: number;
  };
  /** The same hosts one by one. */
  readonly processes: readonly HostStatus[];
  /** Calls of endpoints and hooks. */
  readonly calls: { readonly waiting: number; readonly running: number };
  readonly versions: { readonly node: string; readonly v8: string; readonly isolatedVm: string } | null;
}

/** The service that knows the modules which the sandbox runs. */
export interface SandboxObserver {
  onIncident(incident: Incident): void;
  /** Nothing of the module may run. */
  isSuspended(moduleId: string): boolean;
}

/** Hears what the code of modules uses. */
export interface UsageObserver {
  /** An invocation has begun for the first time, so many milliseconds after it was called. */
  onStarted(waitedMs: number): void;
  /** A module has used so many milliseconds of processor time. */
  onCpu(moduleId: string, ms: number): void;
  /** The heap of a module was seen to have so many bytes, buffers included. Not every call is looked at. */
  onHeap?(moduleId: string, bytes: number): void;
}

export interface Sandbox {
  /** Reports incidents to the observer from now on, and asks it before each invocation. Without one, no module is suspended. */
  attach(observer: SandboxObserver): void;
  /** Runs one invocation. Never rejects. */
  invoke(job: InvocationRequest): Promise<InvocationResult>;
  /**
   * Compiles and evaluates code once, in a disposable isolate, in a host that sees no other author's code. `by`: the author, null
   * for files. Rejects with an AppError `SANDBOX_DISABLED` or `ENDPOINT_BUSY` when that is impossible.
   */
  inspect(source: string, kind: ModuleKind, by?: string | null): Promise<Inspection>;
  /** Drops the isolates of a module; invocations in flight are not affected. */
  evict(moduleId: string): void;
  /**
   * Ends all invocations of a module with `ENDPOINT_SUSPENDED` and aborts their guest calls. Resolves when these have ended, or
   * after five seconds.
   */
  stop(moduleId: string): Promise<void>;
  status(): SandboxStatus;
  /** Runs the self-test in real hosts; `status` returns its result from then on. */
  selfTest(): Promise<SelfTest>;
  /** Kills every host; what runs ends with `ENDPOINT_CRASHED`. */
  close(): Promise<void>;
}
