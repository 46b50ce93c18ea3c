// What the rest of the server asks of the sandbox. Types only; `hosts/` does it.
import type { Inspection, ModuleKind } from '../../sandbox/protocol.ts';
import type { ModuleVersion } from './module-version.ts';

/** Something that the guest asks of the server: `timer`, `fetch`, `model.find`, `model.create`, … */
export interface HostCall {
  readonly name: string;
  /** JSON text, written by the guest: hostile. */
  readonly args: string;
}

/** JSON text of the result, or of `{code, message}` when not ok. */
export interface HostCallResult {
  readonly ok: boolean;
  readonly text: string;
}

/** A line of the guest's log: hostile text. */
export interface GuestLog {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly stack?: string;
}

export interface InvocationRequest {
  readonly unit: ModuleVersion;
  /** JSON text of a GuestRequest or HookCall. */
  readonly head: string;
  readonly body: string;
  /** Performs a host call. Never rejects. The signal aborts when the request is over. */
  serve(call: HostCall, signal: AbortSignal): Promise<HostCallResult>;
  log(record: GuestLog): void;
}

export type FailureCode =
  | 'ENDPOINT_ERROR'
  | 'ENDPOINT_TIMEOUT'
  | 'ENDPOINT_MEMORY'
  | 'ENDPOINT_CRASHED'
  | 'ENDPOINT_RESPONSE_TOO_LARGE'
  | 'ENDPOINT_BUSY'
  | 'ENDPOINT_RATE_LIMITED'
  | 'ENDPOINT_SUSPENDED'
  | 'SANDBOX_DISABLED';

/** How a job ended. Status, headers and body of a response are the guest's: checked for form, not yet against its grants. */
export type InvocationResult =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: readonly (readonly [name: string, value: string])[];
      readonly body: string | Buffer;
    }
  /** JSON text; undefined when a hook returned nothing. */
  | { readonly kind: 'result'; readonly json: string | undefined }
  /** `next()`, or `next(error)` with a message for the log and perhaps a status of 400–599. */
  | { readonly kind: 'next'; readonly error?: { readonly message: string; readonly statusCode?: number } }
  /** `message` and `stack` are for the log of the module; they never reach a caller. */
  | {
      readonly kind: 'failure';
      readonly code: FailureCode;
      readonly message: string;
      /** What the caller is told instead of the usual text: words of the server, never of the module. */
      readonly shown?: string;
      /** In lines of the author's text. */
      readonly stack?: string;
      /** What the module itself threw: hostile text. A hook's reaches the caller, cleaned. */
      readonly thrown?: { readonly message: string; readonly code?: string };
    };

/** Something that a module did and a reviewer should know of. */
export interface Incident {
  /** Null: a process ended in which no module had run. */
  readonly unitId: string | null;
  /** Number of the code's version; 0 where none of it was running. */
  readonly version: number;
  /** Hash of the code that ran; the one in force if absent. */
  readonly sha256?: string;
  /** `kill` and `crash` are ends of processes; a `violation` is a limit that was kept. */
  readonly kind: 'kill' | 'crash' | 'violation';
  /** Which limit or wall: `cpuMs`, `wallMs`, `heapMb`, `hostMemory`, `responseBytes`, `protocol`, … */
  readonly limit: string;
  /** False: an end that does not count towards suspension, as the module need not be to blame. */
  readonly counts?: boolean;
}

/** One attempt of the self-test: what was tried, and whether the wall held. */
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
  /** Walls by name: true for those that are in force and held. */
  readonly walls: Readonly<Record<string, boolean>>;
}

export interface SandboxStatus {
  /** 1 to 3, as far as the self-test has shown; 0 until it has run. */
  readonly level: number;
  /** Walls in force by name; empty until the first host has started. */
  readonly walls: Readonly<Record<string, boolean>>;
  readonly selfTest: SelfTest;
  /** The same for the hosts of `sandbox.jitDomains`; null where there are no such domains. */
  readonly jit: { readonly level: number; readonly selfTest: SelfTest } | null;
  readonly hosts: {
    readonly running: number;
    readonly busy: number;
    readonly spare: number;
    readonly max: number;
  };
  readonly versions: { readonly node: string; readonly v8: string; readonly isolatedVm: string } | null;
}

/** The service that knows the modules which the sandbox runs. */
export interface SandboxObserver {
  onIncident(incident: Incident): void;
  /** Whether nothing of this module may run. */
  isSuspended(unitId: string): boolean;
}

export interface Sandbox {
  /** Reports incidents to the observer from now on, and asks it before each invocation. Without one, no module is suspended. */
  attach(observer: SandboxObserver): void;
  /** Runs one request of one module. Never rejects. */
  run(job: InvocationRequest): Promise<InvocationResult>;
  /**
   * Compiles and evaluates once, in a throw-away isolate, in a host that sees no other author's code. `by`: whose code it is,
   * null for files. Rejects with an AppError `SANDBOX_DISABLED`, `ENDPOINT_BUSY` or `ENDPOINT_CRASHED` when that cannot be done.
   */
  inspect(source: string, kind: ModuleKind, by?: string | null): Promise<Inspection>;
  /** Forgets every isolate of the module's older versions; requests in flight end as they would. */
  retire(unitId: string): void;
  /**
   * Ends all that runs or waits of the module, with `ENDPOINT_SUSPENDED`. From then on none of its host calls begins
   * anything. Resolves when those that had begun have ended, or after a few seconds.
   */
  stop(unitId: string): Promise<void>;
  status(): SandboxStatus;
  /** Runs the self-test in real hosts and keeps its result for `status`. */
  selfTest(): Promise<SelfTest>;
  /** Kills every host; what runs ends in `ENDPOINT_CRASHED`. */
  close(): Promise<void>;
}
