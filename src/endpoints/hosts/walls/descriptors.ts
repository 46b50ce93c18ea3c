// Descriptors of the server that its children would inherit.
import { readdirSync, readFileSync } from 'node:fs';

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
 * Descriptors above 2 that are not closed when another program starts. Node opens all of its own so that they are; what is
 * left came from whoever started the server: a log, a socket of systemd, a pipe of a shell. Empty where there is no `/proc`.
 */
export function inheritedDescriptors(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isInherited(descriptor));
}
