// A host as a child process: it inherits its pipes and no other file descriptor, and it is killed with all that it has started.

import type { ChildProcess, StdioOptions } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { constants, devNull } from 'node:os';

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

const CLOSE_ON_EXEC = 0o2000000;

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // Closed since it was listed.
    return false;
  }
}

/**
 * Descriptors above 2 without close-on-exec. Node sets that flag on all that it opens, and on the first ones that it finds open;
 * the rest came from the process that started the server: a log, a socket, a pipe of a shell. Empty where there is no `/proc`.
 */
function inheritedDescriptors(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isInherited(descriptor));
}

/**
 * Calls `start` with the `stdio` option for a child: 0 to 2 are `/dev/null`, from 3 on there are `pipes` pipes, and all that the
 * child would inherit above them is `/dev/null` too.
 */
export function withOnlyPipes<T>(pipes: number, start: (stdio: StdioOptions) => T): T {
  const stdio: ('ignore' | 'pipe' | number)[] = ['ignore', 'ignore', 'ignore'];
  for (let count = 0; count < pipes; count++) stdio.push('pipe');
  const inherited = inheritedDescriptors().filter((descriptor) => descriptor >= stdio.length);
  if (inherited.length === 0) return start(stdio);
  const nullDevice = openSync(devNull, 'r+');
  try {
    for (const descriptor of inherited) {
      while (stdio.length < descriptor) stdio.push('ignore');
      stdio[descriptor] = nullDevice;
    }
    return start(stdio);
  } finally {
    closeSync(nullDevice);
  }
}
