// Keeps a host from inheriting file descriptors: it gets its pipes, and none of what the server has open.
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
