// A host and all that is started on the way to it are one group of processes: what is killed goes as a whole.
import type { ChildProcess } from 'node:child_process';

/**
 * For `detached`: the child leads a group of its own. Ctrl-C at the server's terminal does not reach it either, so that
 * requests in flight may end as they would.
 */
export const GROUPS = process.platform !== 'win32';

/**
 * SIGKILL. While bubblewrap builds a cage, its inner process waits for the outer one and does not notice when that is gone:
 * killed alone, the outer one would leave it behind for ever.
 */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (!GROUPS) {
    child.kill('SIGKILL');
    return;
  }
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended, and its exit is on the way.
  }
}

/** Kills the groups that are still there when this process exits: what the kernel then ends is only the leader of each. */
export function createGroupKeeper(): { keep(child: ChildProcess): void } {
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
