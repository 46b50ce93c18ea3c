// Why hosts die, in words that a verdict can be based on.
import type { Violation } from './turns.ts';
import type { Cause } from './verdict.ts';

/** What V8 and the C library end a process with when there is no more memory. */
const OUT_OF_MEMORY: ReadonlySet<NodeJS.Signals> = new Set(['SIGABRT', 'SIGIOT', 'SIGTRAP', 'SIGILL']);

export const OUT_OF_HOST_MEMORY: Cause = {
  code: 'ENDPOINT_MEMORY',
  kind: 'crash',
  limit: 'hostMemory',
  message: 'It needed more memory than its process may have',
};

/** The server ended it, for reasons of its own. */
export const ENDED: Cause = {
  code: 'ENDPOINT_CRASHED',
  kind: 'crash',
  limit: 'process',
  message: 'The process in which it ran was ended',
  blamed: null,
};

/** It ended by itself, or was ended by somebody else. */
export function causeOfExit(signal: NodeJS.Signals | undefined): Cause {
  if (signal !== undefined && OUT_OF_MEMORY.has(signal)) return OUT_OF_HOST_MEMORY;
  const message = 'The process in which it ran died';
  // No guest can send that signal: it came from the kernel, or from a person.
  const isDoubtful = signal === 'SIGKILL';
  return { code: 'ENDPOINT_CRASHED', kind: 'crash', limit: 'process', message, isDoubtful };
}

/** It sent what no host sends: from then on nothing that it says counts. */
export function causeOfViolation({ limit, request }: Violation): Cause {
  const message = 'The process in which it ran was ended: it broke its limits';
  const blamed = request === null ? {} : { blamed: request };
  return { code: 'ENDPOINT_CRASHED', kind: 'kill', limit, message, ...blamed };
}
