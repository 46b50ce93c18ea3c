// Why a host exited, which invocation was the culprit, and which of the others fail, are requeued, or run again in isolation.
import type { Host } from './host.ts';
import type { Invocation } from './invocation.ts';
import type { ModuleVersion } from './model/module-version.ts';
import type { Incident, InvocationErrorCode } from './model/sandbox.ts';
import type { ResultMessage } from './protocol/host-messages.ts';
import type { ProtocolViolation } from './result-frames.ts';

export interface ExitCause {
  readonly code: InvocationErrorCode;
  readonly kind: Incident['kind'];
  readonly limit: string;
  /** For the log of the module. */
  readonly message: string;
  /** The invocation whose time slice it was, where that is known; null: none was to blame. Absent: to be found out. */
  readonly culprit?: Invocation | null;
  /** The signal may have come from outside: a single suspect runs again before it is blamed. */
  readonly isDoubtful?: boolean;
  /** The code that ran, where the host itself no longer tells. */
  readonly moduleVersion?: ModuleVersion;
  /** False: the exit does not count towards the suspension of the module. */
  readonly counts?: false;
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
  return { code: 'ENDPOINT_CRASHED', kind: 'kill', limit, message, ...culprit };
}

/**
 * Its isolate is gone: at the limit of its heap, or because microtasks went on after a stopped time slice. The invocations that
 * waited in it are lost, and the process may be damaged. Call this before the results are read: they settle the culprit.
 */
export function exitCauseOfDisposal(host: Host, { errors }: Pick<ResultMessage, 'errors'>): ExitCause {
  const [number, error] = errors.at(-1) ?? [];
  const culprit = number === undefined ? undefined : host.invocations.get(number);
  const moduleVersion = culprit?.moduleVersion ?? host.frames.current?.invocations[0]?.moduleVersion;
  const message = 'The process in which it ran was ended: its isolate was lost';
  return {
    ...{ code: 'ENDPOINT_CRASHED', kind: 'crash', message, culprit: culprit ?? null },
    limit: error === 'memory' ? 'heapMb' : 'microtasks',
    ...(moduleVersion === undefined ? {} : { moduleVersion }),
  };
}

/** Invocations whose time slice it may have been. One that was settled at the end of its wall time may still be running. */
function suspectsOf({ frames: { current } }: Host): readonly Invocation[] {
  if (current === undefined) return [];
  if (current.invocations.length === 1) return current.invocations;
  return current.invocations.filter(
    ({ isSettled, hasStarted, frame }) => !isSettled && !hasStarted && frame === current,
  );
}

/** Attributes the exit of a host by what it last had. Settles nothing. */
export function attributeCrash(
  host: Host,
  { culprit: known, isDoubtful = false }: ExitCause,
): CrashAttribution {
  const suspects = suspectsOf(host);
  const [only] = suspects;
  const isCertain = suspects.length === 1 && only !== undefined && !(isDoubtful && only.isRetryable);
  const culprit = known === undefined ? (isCertain ? only : null) : known;
  const failed: Invocation[] = [];
  const isolatedRetries: Invocation[] = [];
  const requeued: Invocation[] = [];
  for (const invocation of host.invocations.values()) {
    if (invocation === culprit) continue;
    const isSuspect = known === undefined && suspects.includes(invocation);
    if (!invocation.hasStarted && !isSuspect) requeued.push(invocation);
    else if (invocation.isRetryable) isolatedRetries.push(invocation);
    else failed.push(invocation);
  }
  return { culprit, failed, isolatedRetries, requeued };
}

/** The module whose code ran in a host, or waited there: a host serves one at a time. */
function moduleVersionIn({ frames, invocations }: Host): ModuleVersion | undefined {
  const [first] = frames.current?.invocations ?? invocations.values();
  return first?.moduleVersion;
}

/**
 * The incident of an exit; null when there is nothing to report. It counts towards suspension whenever code of the module was
 * to blame, also when nothing tells which of its invocations it was.
 */
export function incidentOfExit(host: Host, cause: ExitCause, culprit: Invocation | null): Incident | null {
  if (cause.isEviction === true) return null;
  const { kind, limit } = cause;
  const moduleVersion = culprit?.moduleVersion ?? cause.moduleVersion ?? moduleVersionIn(host);
  if (moduleVersion === undefined) {
    return { moduleId: host.lastModuleId, version: 0, kind, limit, counts: false };
  }
  const { id: moduleId, version, sha256 } = moduleVersion;
  const counts = cause.counts !== false && (culprit !== null || cause.isDoubtful !== true);
  return { moduleId, version, sha256, kind, limit, counts };
}
