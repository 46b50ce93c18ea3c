// A host locks itself: once all is loaded, it gives up, for good, whatever it will not need to run guests.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { lockFilter } from './seccomp.js';

/** @typedef {{ syscall: (...args: bigint[]) => bigint, prctl: (...args: bigint[]) => number }} C */

// Numbers of the kernel's interface.
const PR_SET_PDEATHSIG = 1n;
const PR_SET_DUMPABLE = 4n;
const PR_GET_SECCOMP = 21n;
const PR_SET_NO_NEW_PRIVS = 38n;
const SIGKILL = 9n;
const SECCOMP_SET_MODE_FILTER = 1n;
/** All threads at once: Node has started some. */
const SECCOMP_FILTER_FLAG_TSYNC = 1n;
const SYS_SECCOMP = new Map([
  ['x64', 317n],
  ['arm64', 277n],
]);

/** What a host was started with (by the server, `host-privileges.ts`), and no longer needs. */
const PERMISSIONS = ['fs', 'addon', 'ffi'];

/**
 * Two functions of the C library, or null where Node cannot call it.
 * @returns {{ c: C, ffi: typeof import('node:ffi') } | null}
 */
function cLibrary() {
  if (process.platform !== 'linux') return null;
  try {
    /** @type {typeof import('node:ffi')} */
    const ffi = createRequire(import.meta.url)('node:ffi');
    const { functions } = ffi.dlopen(null, {
      syscall: { arguments: ['i64', 'i64', 'i64', 'i64'], return: 'i64' },
      prctl: { arguments: ['i32', 'u64', 'u64', 'u64', 'u64'], return: 'i32' },
    });
    const { syscall, prctl } = /** @type {any} */ (functions);
    return { c: { syscall, prctl: (option, ...rest) => prctl(Number(option), ...rest) }, ffi };
  } catch {
    // An experimental module: where it is missing or different, the other layers stand without it.
    return null;
  }
}

/** @param {{ c: C, ffi: typeof import('node:ffi') }} library */
function filterSystemCalls({ c, ffi }) {
  const jit = !process.execArgv.includes('--jitless');
  const program = lockFilter(process.arch, { pid: process.pid, jit });
  const number = SYS_SECCOMP.get(process.arch);
  if (program === null || number === undefined) return false;
  const header = new DataView(new ArrayBuffer(16));
  header.setUint16(0, program.length / 8, true);
  header.setBigUint64(8, ffi.getRawPointer(program), true);
  const pointer = ffi.getRawPointer(header);
  if (c.syscall(number, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, pointer) !== 0n) return false;
  // The filter refuses this very question: an answer would mean that it is not in force.
  return c.prctl(PR_GET_SECCOMP, 0n, 0n, 0n, 0n) === -1;
}

/** Whether Node's permission model is on and refuses from now on what it allowed until here: this very file, for one. */
function dropPermissions() {
  const { permission } = process;
  if (permission === undefined) return false;
  for (const scope of PERMISSIONS) /** @type {any} */ (permission).drop(scope);
  try {
    readFileSync(import.meta.filename);
    return false;
  } catch (error) {
    return (
      /** @type {NodeJS.ErrnoException} */ (error).code === 'ERR_ACCESS_DENIED' && !permission.has('ffi')
    );
  }
}

/**
 * Call once, when the binding is loaded; isolates are made later. Never throws: what this machine cannot do is false
 * in the answer, and the server decides whether that is enough.
 * @returns {{ selfLock: boolean, noNewPrivileges: boolean, diesWithServer: boolean, permissions: boolean }}
 */
export function lock() {
  // biome-ignore lint/style/noProcessEnv: the environment that a host is started with holds `PWD` only; this sets the clock of its guests
  process.env['TZ'] = 'UTC';
  const library = cLibrary();
  const set = (/** @type {bigint} */ option, /** @type {bigint} */ value) =>
    library !== null && library.c.prctl(option, value, 0n, 0n, 0n) === 0;
  // Other processes of the same user can then neither trace it nor read its memory.
  const isUntraceable = set(PR_SET_DUMPABLE, 0n);
  const diesWithServer = set(PR_SET_PDEATHSIG, SIGKILL);
  const noNewPrivileges = set(PR_SET_NO_NEW_PRIVS, 1n);
  const selfLock = isUntraceable && noNewPrivileges && library !== null && filterSystemCalls(library);
  return { selfLock, noNewPrivileges, diesWithServer, permissions: dropPermissions() };
}
