// Why hosts die, in words that a verdict can be based on.

import type { ExitCause } from './crash-attribution.ts';
import type { ProtocolViolation } from './result-frames.ts';
import type { Host, ResultMessage } from './state.ts';

/** What V8 and the C library end a process with when there is no more memory. */
const OUT_OF_MEMORY: ReadonlySet<NodeJS.Signals> = new Set(['SIGABRT', 'SIGIOT', 'SIGTRAP', 'SIGILL']);

export const OUT_OF_HOST_MEMORY: ExitCause = {
  code: 'ENDPOINT_MEMORY',
  kind: 'crash',
  limit: 'hostMemory',
  message: 'It needed more memory than its process may have',
};

/** Nobody is to blame for it. */
const NO_CULPRIT = {
  code: 'ENDPOINT_CRASHED',
  message: 'The process in which it ran was ended',
  blamed: null,
  counts: false,
} as const;

/** The server needs it no more. */
export const EVICTED: ExitCause = { ...NO_CULPRIT, kind: 'kill', limit: 'retired', isRetired: true };

/** It did not come up. */
export const NOT_STARTED: ExitCause = { ...NO_CULPRIT, kind: 'crash', limit: 'start' };

/** Its walls are weaker than `sandbox.minimumLevel` demands. */
export const WEAK_ISOLATION: ExitCause = { ...NO_CULPRIT, kind: 'kill', limit: 'minimumLevel' };

/** It inspected code for too long. */
export const SLOW_INSPECTION: ExitCause = { ...NO_CULPRIT, kind: 'kill', limit: 'loadMs' };

/** Its module was suspended. */
export const STOPPED: ExitCause = { ...NO_CULPRIT, kind: 'kill', limit: 'suspended' };

/** It ended by itself, or was ended by somebody else. */
export function exitCauseOfSignal(signal: NodeJS.Signals | undefined): ExitCause {
  if (signal !== undefined && OUT_OF_MEMORY.has(signal)) return OUT_OF_HOST_MEMORY;
  const message = 'The process in which it ran died';
  // No guest can send that signal: it came from the kernel, or from a person.
  const isDoubtful = signal === 'SIGKILL';
  return { code: 'ENDPOINT_CRASHED', kind: 'crash', limit: 'process', message, isDoubtful };
}

/** It sent what no host sends: from then on nothing that it says counts. */
export function exitCauseOfViolation({ limit, request }: ProtocolViolation): ExitCause {
  const message = 'The process in which it ran was ended: it broke its limits';
  const blamed = request === null ? {} : { blamed: request };
  return { code: 'ENDPOINT_CRASHED', kind: 'kill', limit, message, ...blamed };
}

/**
 * Its isolate is gone: at the limit of its heap, or because microtasks went on after a stopped turn. Whoever waited in it is
 * lost, and the process may be worn. Ask before the turns are taken in: they end the request whose turn it was.
 */
export function exitCauseOfDisposal(
  { requests, frames }: Host,
  { faults }: Pick<ResultMessage, 'faults'>,
): ExitCause {
  const [job, fault] = faults.at(-1) ?? [];
  const blamed = job === undefined ? undefined : requests.get(job);
  const unit = blamed?.job.unit ?? frames[0]?.requests[0]?.job.unit;
  const message = 'The process in which it ran was ended: its isolate was lost';
  return {
    ...{ code: 'ENDPOINT_CRASHED', kind: 'crash', message, culprit: blamed ?? null },
    limit: fault === 'memory' ? 'heapMb' : 'microtasks',
    ...(unit === undefined ? {} : { unit }),
  };
}
