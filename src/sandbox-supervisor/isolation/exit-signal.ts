// Which signal ended a host.
import { constants } from 'node:os';

/** Shells and bubblewrap report a signal as this much plus its number. */
const SIGNAL_EXIT_BASE = 128;

/** Some have two names: the first one counts. */
const SIGNAL_NAMES = new Map(
  Object.entries(constants.signals)
    .map(([name, number]) => [number, name] as const)
    .reverse(),
);

/**
 * The signal that ended the process, also when bubblewrap stood between and passed it on as an exit code. Of a host that ran
 * out of memory: SIGABRT, SIGTRAP, SIGILL or SIGSEGV. Undefined when it left by itself.
 */
export function exitSignal(code: number | null, signal: NodeJS.Signals | null): NodeJS.Signals | undefined {
  if (signal !== null) return signal;
  return SIGNAL_NAMES.get((code ?? 0) - SIGNAL_EXIT_BASE) as NodeJS.Signals | undefined;
}
