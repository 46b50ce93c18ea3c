// Process groups of hosts: a host and the programs that start it are killed together. Also the signal that ended a host.
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';

/**
 * Value of the spawn option `detached`: the child leads its own process group. Ctrl-C at the server's terminal does not
 * reach it, so that requests in flight can finish.
 */
export const USE_PROCESS_GROUPS = process.platform !== 'win32';

/**
 * Sends SIGKILL to the group. While bubblewrap sets up a sandbox, its inner process waits for the outer one and does not
 * notice its death: killing only the outer one would leave the inner one running forever.
 */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (!USE_PROCESS_GROUPS) {
    child.kill('SIGKILL');
    return;
  }
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has ended; the `exit` event follows.
  }
}

/** Kills the groups that still run when this process exits: a parent-death signal reaches only the leader of each. */
export function createProcessGroups(): { add(child: ChildProcess): void } {
  const living = new Set<ChildProcess>();
  const killAll = () => {
    for (const child of living) killGroup(child);
  };
  return {
    add(child) {
      if (child.pid === undefined) return;
      if (living.size === 0) process.on('exit', killAll);
      living.add(child);
      child.once('exit', () => {
        living.delete(child);
        if (living.size === 0) process.off('exit', killAll);
      });
    },
  };
}

/** Shells and bwrap report a signal as an exit code: this plus its number. */
const SIGNAL_EXIT_BASE = 128;

/** Signal names by number; the first of several names. */
const SIGNAL_NAMES = new Map(
  Object.entries(constants.signals)
    .map(([name, number]) => [number, name] as const)
    .reverse(),
);

/**
 * The signal that ended the process, also when bwrap passed it on as an exit code. For a host that ran out of memory: SIGABRT,
 * SIGTRAP, SIGILL or SIGSEGV. Undefined when it exited by itself.
 */
export function exitSignal(code: number | null, signal: NodeJS.Signals | null): NodeJS.Signals | undefined {
  if (signal !== null) return signal;
  return SIGNAL_NAMES.get((code ?? 0) - SIGNAL_EXIT_BASE) as NodeJS.Signals | undefined;
}
