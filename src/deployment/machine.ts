// This process and its machine, as other processes of a deployment know them, and whether a process of the same machine is gone.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCodeOf } from '../errors/errors.ts';
import { sha256Hex } from '../lib/sha256.ts';
import type { ProcessRecord } from './process-records.ts';

const DIGITS = 16;

function read(what: () => string): string {
  try {
    return what().trim();
  } catch {
    // Not Linux, or not readable: then no process is known to be gone before its time is over.
    return '';
  }
}

/**
 * The same text for all processes that see each other by their process ids: one boot of one machine, one name space of processes.
 * Empty where that cannot be told.
 */
export function machineId(): string {
  const boot = read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const space = read(() => readlinkSync('/proc/self/ns/pid'));
  if (boot === '' || space === '') return '';
  return sha256Hex(`${hostname()} ${boot} ${space}`).slice(0, DIGITS);
}

/** True where the process of a record is certainly gone: another one of this machine without a process of its number. */
export function isEnded({ machine, pid }: Pick<ProcessRecord, 'machine' | 'pid'>, here: string): boolean {
  if (here === '' || machine !== here || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errorCodeOf(error) === 'ESRCH';
  }
}
