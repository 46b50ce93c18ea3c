// Stops a process of the test's own where it stands, and lets it go on. For Linux, as the servers of the tests are.
import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

/** Stopped, dead, or about to be removed. */
const STILL = ['T', 'Z', 'X'];

function isStill(pid: number, thread: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    // The name before the state may hold anything, but ends with the last `)`.
    return STILL.includes(stat.charAt(stat.lastIndexOf(')') + 2));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
}

/** SIGSTOP. Resolves when no thread runs any more: the signal alone is on its way when `kill` returns. */
export async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const threads = () => readdirSync(`/proc/${pid}/task`);
  while (!threads().every((thread) => isStill(pid, thread))) await setImmediate();
}

export function thaw(pid: number): void {
  process.kill(pid, 'SIGCONT');
}
