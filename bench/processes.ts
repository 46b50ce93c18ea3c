// What Linux says about processes and the machine: processor time, memory, cores, other load. Elsewhere zeroes.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Of the machine, however few this process may use. */
export const CORES = cpus().length;

const SERVER_CORE = '0';
const GENERATOR_CORE = '1';
const NANOSECONDS = 1e9;
/** What `/proc/…/stat` counts processor time in. */
const TICKS_PER_SECOND = 100;

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

const list = (path: string): readonly string[] => {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
};

/** The fields of `/proc/PID/stat` behind the name, which may hold anything. */
const statOf = (pid: number): readonly string[] =>
  read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];

/** The processes below one, at any depth. */
export function descendantsOf(pid: number): readonly number[] {
  const parents = list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), Number(statOf(Number(name))[1])] as const);
  const children = (parent: number): number[] =>
    parents.filter(([, of]) => of === parent).flatMap(([child]) => [child, ...children(child)]);
  return children(pid);
}

/** Processor time that a process has used, in seconds, over all its threads. */
export function processorTime(pid: number): number {
  const threads = list(`/proc/${pid}/task`).map((thread) => read(`/proc/${pid}/task/${thread}/schedstat`));
  const exact = threads.reduce((all, text) => all + Number(text.split(' ')[0] ?? 0), 0) / NANOSECONDS;
  if (exact > 0) return exact;
  const [user, system] = statOf(pid).slice(11, 13);
  return (Number(user ?? 0) + Number(system ?? 0)) / TICKS_PER_SECOND;
}

/** Resident memory in bytes, counting what several processes share once for each. */
export function residentMemory(pid: number): number {
  return Number(read(`/proc/${pid}/status`).match(/^VmRSS:\s+(\d+)/m)?.[1] ?? 0) * 1024;
}

/** Resident bytes that belong to this process: what several share is divided among them (PSS). */
function proportionalMemory(pid: number): number {
  return Number(read(`/proc/${pid}/smaps_rollup`).match(/^Pss:\s+(\d+)/m)?.[1] ?? 0) * 1024;
}

export interface Memory {
  /** Bytes (PSS). */
  readonly server: number;
  /** Of the processes that it started, together. */
  readonly hosts: number;
}

export function memoryOf(pid: number): Memory {
  const hosts = descendantsOf(pid).reduce((all, one) => all + proportionalMemory(one), 0);
  return { server: proportionalMemory(pid), hosts };
}

/** Seconds since the machine started, summed over its cores. */
export interface MachineTime {
  readonly busy: number;
  /** What a hypervisor gave to others. */
  readonly stolen: number;
  readonly all: number;
}

export function machineTime(): MachineTime {
  const fields = read('/proc/stat').split('\n', 1)[0]?.split(/\s+/).slice(1, 9).map(Number) ?? [];
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softIrq = 0, stolen = 0] = fields;
  const busy = user + nice + system + irq + softIrq;
  const seconds = (ticks: number) => ticks / TICKS_PER_SECOND;
  return { busy: seconds(busy), stolen: seconds(stolen), all: seconds(busy + idle + wait + stolen) };
}

function pin(pid: number, core: string): void {
  try {
    execFileSync('taskset', ['-acp', core, String(pid)], { stdio: 'ignore' });
  } catch {
    // A machine that cannot: all share all cores.
  }
}

/** Puts a server, and what it starts from now on, on one core. The load comes from another: see `pinGenerator`. */
export function pinServer(pid: number): void {
  if (CORES > 1) pin(pid, SERVER_CORE);
}

/** Puts this process on a core of its own until the result is disposed of: programs that it starts inherit the core. */
export function pinGenerator(): Disposable {
  if (CORES > 1) pin(process.pid, GENERATOR_CORE);
  return {
    [Symbol.dispose]() {
      if (CORES > 1) pin(process.pid, `0-${CORES - 1}`);
    },
  };
}
