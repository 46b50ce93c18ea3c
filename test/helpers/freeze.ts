// Stops a process of the test's own where it stands, and lets it go on.
import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

/** The state of each thread: `T` for one that is stopped. The name before it may hold anything but ends with the last `)`. */
function threadStates(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2)[0] ?? '';
  });
}

/** SIGSTOP. Resolves when no thread runs any more: the signal alone is on its way when `kill` returns. */
export async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  while (threadStates(pid).some((state) => state !== 'T')) await setImmediate();
}

export function thaw(pid: number): void {
  process.kill(pid, 'SIGCONT');
}
