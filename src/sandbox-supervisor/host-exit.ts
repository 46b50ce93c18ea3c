// Why a host exited, which invocation was the culprit, and which of the others fail, are requeued, or run again in isolation.
import type { Host } from './host.ts';
import type { SentFrame } from './host-contents.ts';
import type { Invocation } from './invocation.ts';
import type { Incident, InvocationErrorCode } from './model/sandbox.ts';
import { lossOf, type ResultMessage } from './protocol/host-messages.ts';
import type { ProtocolViolation } from './result-frames.ts';

export interface ExitCause {
  readonly code: InvocationErrorCode;
  readonly kind: Incident['kind'];
  readonly limit: string;
  /** For the log of the module. */
  readonly message: string;
  /** The invocation whose time slice it was, where that is known; null: none was to blame. Absent: to be found out. */
  readonly culprit?: Invocation | null;
  /** It need not be the fault of a single suspect, which runs again before it is blamed. */
  readonly isDoubtful?: boolean;
  /** Memory was used up: also those may be to blame that only waited in the host. */
  readonly isMemory?: boolean;
  /** The frame that ran, where the host itself no longer tells. */
  readonly frame?: SentFrame;
  /** Whether the exit counts towards the suspension of the module. Unless given, it does when the culprit is certain. */
  readonly counts?: boolean;
  /** It was idle and no longer needed: no incident. */
  readonly isEviction?: true;
}

/** What becomes of the invocations that a host had when it exited. */
export interface CrashAttribution {
  readonly culprit: Invocation | null;
  /** Had side effects, or a second attempt already: these fail. */
  readonly failed: readonly Invocation[];
  /** Suspects and started invocations without side effects: each runs again in a host of its own. */
  readonly isolatedRetries: readonly Invocation[];
  /** Not started: these are queued again as they were. */
  readonly requeued: readonly Invocation[];
  /** Several may be to blame, hence none is: the module runs its invocations alone for a while, so that the next culprit is certain. */
  readonly isShared: boolean;
}

/** Signals with which V8 and the C library end a process that is out of memory. */
const OUT_OF_MEMORY_SIGNALS: ReadonlySet<NodeJS.Signals> = new Set([
  'SIGABRT',
  'SIGIOT',
  'SIGTRAP',
  'SIGILL',
]);

const OUT_OF_MEMORY: ExitCause = {
  code: 'ENDPOINT_MEMORY',
  kind: 'crash',
  limit: 'hostMemory',
  message: 'It needed more memory than its process may have',
  isMemory: true,
};

const NO_CULPRIT = {
  code: 'ENDPOINT_CRASHED',
  message: 'The process in which it ran was ended',
  culprit: null,
  counts: false,
} as const;

/** The server no longer needs it. */
export const EVICTED: ExitCause = { ...NO_CULPRIT, kind: 'kill', limit: 'retired', isEviction: true };

/** It exited before it was ready. */
export const NOT_STARTED: ExitCause = { ...NO_CULPRIT, kind: 'crash', limit: 'start' };

/** Its isolation level is below `sandbox.minimumLevel`. */
export const WEAK_ISOLATION: ExitCause = { ...NO_CULPRIT, kind: 'kill', limit: 'minimumLevel' };

/** It inspected code for too long. */
export const SLOW_INSPECTION: ExitCause = { ...NO_CULPRIT, kind: 'kill', limit: 'loadMs' };

/** Its module was suspended. */
export const MODULE_SUSPENDED: ExitCause = { ...NO_CULPRIT, kind: 'kill', limit: 'suspended' };

/** The process exited, by which signal, without being killed by the server. */
export function exitCauseOfSignal(signal: NodeJS.Signals | undefined): ExitCause {
  if (signal !== undefined && OUT_OF_MEMORY_SIGNALS.has(signal)) return OUT_OF_MEMORY;
  const message = 'The process in which it ran died';
  // No guest can send that signal: it came from the kernel, or from a person.
  const isDoubtful = signal === 'SIGKILL';
  return { code: 'ENDPOINT_CRASHED', kind: 'crash', limit: 'process', message, isDoubtful };
}

/** The host reported that it is out of memory, in which invocation if it knows. */
export function exitCauseOfLoss(host: Host, number: number | null): ExitCause {
  const culprit = number === null ? undefined : host.invocations.get(number);
  return { ...OUT_OF_MEMORY, ...(culprit === undefined ? {} : { culprit }) };
}

/** It sent what no host sends: from then on nothing that it says counts. */
export function exitCauseOfViolation({ limit, invocation }: ProtocolViolation): ExitCause {
  const message = 'The process in which it ran was ended: it broke its limits';
  const culprit = invocation === null ? {} : { culprit: invocation };
  // No module does that by accident, whichever of its invocations it was.
  return { code: 'ENDPOINT_CRASHED', kind: 'kill', limit, message, counts: true, ...culprit };
}

/**
 * Its isolate is gone: at the limit of its heap, or because microtasks went on after a stopped time slice. The invocations that
 * waited in it are lost, and the process may be damaged. Without an error of the loss, several invocations used the heap and any of
 * them may be the culprit. Call this before the results are read: they settle the culprit, and complete the frame.
 */
export function exitCauseOfDisposal(host: Host, results: Pick<ResultMessage, 'errors'>): ExitCause {
  const message = 'The process in which it ran was ended: its isolate was lost';
  const { current: frame } = host.frames;
  const lost = {
    ...({ code: 'ENDPOINT_CRASHED', kind: 'crash', message } as const),
    ...(frame === undefined ? {} : { frame }),
  };
  const loss = lossOf(results);
  if (loss === undefined) return { ...lost, limit: 'heapMb', isMemory: true, isDoubtful: true };
  const [number, error] = loss;
  const culprit = host.invocations.get(number) ?? null;
  // It counts also where the culprit has its result already.
  return { ...lost, limit: error === 'memory' ? 'heapMb' : 'microtasks', culprit, counts: true };
}

/** Invocations whose time slice it may have been. One that was settled at the end of its wall time may still be running. */
function runningIn(frame: SentFrame): readonly Invocation[] {
  if (frame.invocations.length === 1) return frame.invocations;
  return frame.invocations.filter(({ hasStarted, frame: own }) => !hasStarted && own === frame);
}

/** Who may be to blame: whoever ran. Where that was nobody, or memory was used up, also those that only waited. */
function suspectsOf(host: Host, running: readonly Invocation[], { isMemory }: ExitCause) {
  if (running.length > 0 && isMemory !== true) return running;
  const waiting = host.invocations.values().filter(({ hasStarted }) => hasStarted);
  return [...new Set([...running, ...waiting])];
}

/** Attributes the exit of a host by what it last had: to one invocation if that is certain, to none otherwise. Settles nothing. */
export function attributeCrash(host: Host, cause: ExitCause): CrashAttribution {
  const { culprit: known, frame = host.frames.current, isDoubtful = false, isMemory = false } = cause;
  const running = frame === undefined ? [] : runningIn(frame);
  const suspects = known === undefined ? suspectsOf(host, running, cause) : [];
  const [only] = suspects;
  // What happened while none ran may have come from outside, the first time.
  const isExcused =
    running.length === 0 ? only?.isIsolatedRetry === false : isDoubtful && only?.isRetryable === true;
  const isCertain = suspects.length === 1 && only !== undefined && !isExcused;
  const culprit = known === undefined ? (isCertain ? only : null) : known;
  const failed: Invocation[] = [];
  const isolatedRetries: Invocation[] = [];
  const requeued: Invocation[] = [];
  for (const invocation of host.invocations.values()) {
    if (invocation === culprit) continue;
    if (!invocation.hasStarted && !suspects.includes(invocation)) requeued.push(invocation);
    else if (invocation.isRetryable) isolatedRetries.push(invocation);
    else failed.push(invocation);
  }
  const isShared = known === undefined && culprit === null && (suspects.length > 1 || isMemory);
  return { culprit, failed, isolatedRetries, requeued, isShared };
}

/** The module whose code ran in a host, or waited there: a host serves one at a time. */
function moduleVersionIn({ frames, invocations }: Host, { frame = frames.current }: ExitCause) {
  const [first] = frame?.invocations ?? invocations.values();
  return first?.moduleVersion;
}

/** The incident of an exit; null when there is nothing to report. */
export function incidentOfExit(host: Host, cause: ExitCause, culprit: Invocation | null): Incident | null {
  if (cause.isEviction === true) return null;
  const { kind, limit, counts = culprit !== null } = cause;
  const moduleVersion = culprit?.moduleVersion ?? moduleVersionIn(host, cause);
  if (moduleVersion === undefined) {
    return { moduleId: host.lastModuleId, version: 0, kind, limit, counts: false };
  }
  const { id: moduleId, version, sha256 } = moduleVersion;
  return { moduleId, version, sha256, kind, limit, counts };
}
