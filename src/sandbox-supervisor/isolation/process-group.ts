// A host and the programs that start it form one process group, which is killed as a whole.
import type { ChildProcess } from 'node:child_process';

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
export function createProcessGroups(): { keep(child: ChildProcess): void } {
  const living = new Set<ChildProcess>();
  const killAll = () => {
    for (const child of living) killGroup(child);
  };
  return {
    keep(child) {
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
