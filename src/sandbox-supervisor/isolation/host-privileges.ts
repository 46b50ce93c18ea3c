// What the process of a host may do: the flags of its Node, its kernel limits (`ulimit`), and a user of its own where the
// server may change users.

import { statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface UlimitOptions {
  readonly jit: boolean;
  /** Private memory in MB; not limited with the compiler, which reserves more than it uses. */
  readonly memoryMb: number;
  /** Each host has its own user. Else threads are not limited: the kernel counts those of all processes of the user. */
  readonly ownUser: boolean;
}

/** A last resort for a host that the server no longer kills. The server replaces hosts long before. */
const MAX_CPU_SECONDS = 900;
/** Threads and processes: a host has a dozen. */
const MAX_THREADS = 64;

/** Options of `ulimit`. Sizes are in kilobytes, except for files, whose unit differs between shells: zero is zero in all. */
export function ulimitOptions({ jit, memoryMb, ownUser }: UlimitOptions): string[] {
  return [
    // A core dump would hold what callers sent.
    '-c 0',
    '-f 0',
    '-n 64',
    // Also the stack of guests: 12,700 frames. Stacks of threads count as private memory.
    '-s 1024',
    `-t ${MAX_CPU_SECONDS}`,
    // Shells differ in the letter: each accepts one of the two.
    ...(ownUser ? [`-u ${MAX_THREADS}`, `-p ${MAX_THREADS}`] : []),
    ...(jit ? [] : [`-d ${memoryMb * 1024}`]),
  ];
}

/**
 * A script that sets the limits and becomes its arguments. One option for each `ulimit` and `&&` between them: given two at
 * once, dash prints an error, and after `;` the host would start unlimited.
 */
export function ulimitScript(options: readonly string[]): string {
  return [...options.map((option) => `ulimit ${option}`), 'exec "$0" "$@"'].join(' && ');
}

/** A script that prints, one a line, the options that this shell and kernel accept. */
export function ulimitProbeScript(options: readonly string[]): string {
  return options.map((option) => `(ulimit ${option}) 2>/dev/null && echo '${option}'`).join('\n');
}

interface FlagOptions {
  /** Whether guests get the just-in-time compiler: only in trust domains that the operator named. */
  readonly jit: boolean;
  /** Absolute paths, all that the host may read. */
  readonly readable: readonly string[];
}

const ALWAYS = [
  // isolated-vm demands it: isolates of its own and Node's start-up snapshot do not go together.
  '--no-node-snapshot',
  // Reaches the guests: without it, private fields can be stamped on frozen shared objects.
  '--js-nonextensible-applies-to-private',
  // These are for the host's own realm and do not reach guests.
  '--disable-proto=delete',
  '--disallow-code-generation-from-strings',
  '--max-old-space-size=64',
  '--no-warnings',
  // A signal must never open the inspector.
  '--disable-sigusr1',
  // Node denies files, network, children, workers and inspector. Addons and FFI are given up once the host is locked.
  '--permission',
  '--allow-addons',
  '--allow-ffi',
];

/** Arguments of `node` before the name of the script. `--frozen-intrinsics` is left out: 25 ms at each start, no effect on guests. */
export function nodeFlags({ jit, readable }: FlagOptions): string[] {
  return [...ALWAYS, ...(jit ? [] : ['--jitless']), ...readable.map((path) => `--allow-fs-read=${path}`)];
}

/** systemd, containers and distributions allocate no ids from here on. */
const FIRST_USER_ID = 0x70000000;
const USER_ID_COUNT = 0x10000;
/** Ranges of ids, of which each server uses one. */
const RANGE_COUNT = 0xfff;

const READ_BY_OTHERS = 0o004;
const EXECUTE_BY_OTHERS = 0o001;

function isReadableByAll(path: string): boolean {
  try {
    if ((statSync(path).mode & READ_BY_OTHERS) === 0) return false;
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      if ((statSync(folder).mode & EXECUTE_BY_OTHERS) === 0) return false;
      if (folder === dirname(folder)) return true;
    }
  } catch {
    return false;
  }
}

/** Whether hosts may run as other users: the server is root, and other users can read what a host reads. */
export function canSwitchUser(files: readonly string[]): boolean {
  return process.getuid?.() === 0 && files.every(isReadableByAll);
}

/**
 * Allocates ids of users and groups in turn: the same id again after 65,536. `random` returns an integer below its argument, so
 * that two servers on one machine rarely share ids.
 */
export function createUserIdAllocator(random: (below: number) => number): () => number {
  const first = FIRST_USER_ID + USER_ID_COUNT * random(RANGE_COUNT);
  let next = 0;
  return () => first + (next++ % USER_ID_COUNT);
}
