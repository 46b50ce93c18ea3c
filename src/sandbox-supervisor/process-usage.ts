// CPU time and memory of a process, from `/proc`.
import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, on every architecture that Node runs on. */
const TICK_MS = 10;
/** Where a page is larger, memory is underestimated, and a host is recycled later. */
const PAGE_BYTES = 4096;
/** Fields 14 and 15 of `/proc/<pid>/stat`, counted from behind the name, which may contain spaces. */
const USER_TIME = 11;
const SYSTEM_TIME = 12;

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Milliseconds of CPU that all threads of the process have used. */
export function cpuMsOf(pid: number): number | null {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME]);
  return Number.isFinite(ticks) ? ticks * TICK_MS : null;
}

/** Resident memory of the process, in bytes. */
export function residentBytesOf(pid: number): number | null {
  const pages = Number(read(`/proc/${pid}/statm`)?.split(' ')[1]);
  return Number.isFinite(pages) ? pages * PAGE_BYTES : null;
}
