// What a host finds open when it starts: its pipe, and nothing else that the server has open.
import type { StdioOptions } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { devNull } from 'node:os';

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
 * Descriptors above 2 that are not closed when another program starts. Node opens all of its own so that they are, and sees
 * to the first ones that it finds open; what is left came from whoever started the server: a log, a socket, a pipe of a
 * shell. Empty where there is no `/proc`.
 */
function inheritedDescriptors(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isInherited(descriptor));
}

/**
 * Runs `start` with the list of descriptors for a child: 0 to 2 lead nowhere, from 3 on there are `pipes` of them, and
 * nothing is handed down: what the child would inherit above them leads nowhere, too.
 */
export function withOnlyPipes<T>(pipes: number, start: (stdio: StdioOptions) => T): T {
  const stdio: ('ignore' | 'pipe' | number)[] = ['ignore', 'ignore', 'ignore'];
  for (let count = 0; count < pipes; count++) stdio.push('pipe');
  const inherited = inheritedDescriptors().filter((descriptor) => descriptor >= stdio.length);
  if (inherited.length === 0) return start(stdio);
  const nowhere = openSync(devNull, 'r+');
  try {
    for (const descriptor of inherited) {
      while (stdio.length < descriptor) stdio.push('ignore');
      stdio[descriptor] = nowhere;
    }
    return start(stdio);
  } finally {
    closeSync(nowhere);
  }
}
