// Processes of a contestant: which they are, what memory they hold, on which core they run. Linux only; elsewhere zeroes.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const SERVER_CORE = '0';
const GENERATOR_CORE = '1';

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

const parentOf = (pid: number): number =>
  Number(read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ')[1] ?? 0);

/** The processes below one, at any depth. */
export function descendantsOf(pid: number): readonly number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const children = (parent: number): number[] =>
    all.filter((one) => parentOf(one) === parent).flatMap((child) => [child, ...children(child)]);
  return children(pid);
}

/** Resident bytes that belong to this process: what several share is divided among them. */
function proportionalMemory(pid: number): number {
  return Number(read(`/proc/${pid}/smaps_rollup`).match(/^Pss:\s+(\d+)/m)?.[1] ?? 0) * 1024;
}

/** Resident bytes of the server, and of its hosts together. */
export function memoryOf(pid: number): { readonly server: number; readonly hosts: number } {
  const hosts = descendantsOf(pid).reduce((all, one) => all + proportionalMemory(one), 0);
  return { server: proportionalMemory(pid), hosts };
}

function pin(pid: number, core: string): boolean {
  try {
    execFileSync('taskset', ['-acp', core, String(pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Puts a server and what it starts on one core, this process on another. False: the machine cannot, and all share all. */
export function pinApart(server: number): boolean {
  return pin(server, SERVER_CORE) && pin(process.pid, GENERATOR_CORE);
}
