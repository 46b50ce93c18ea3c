// Attempts by system calls of one's own: what native code could do after a fault in V8 was exploited.
import { createRequire } from 'node:module';

/** @import { Orders } from '../self-test.js' */
/** @import { Attempt } from './node.js' */

// Numbers of the kernel's interface, the same on x64 and arm64.
const READ_WRITE_EXECUTE = 7;
const PRIVATE_ANONYMOUS = 0x22;
const AF_INET = 2;
const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SYS_IO_URING_SETUP = 425n;

/** @param {number} port */
function loopback(port) {
  const address = Buffer.alloc(16);
  address.writeUInt16LE(AF_INET, 0);
  address.writeUInt16BE(port, 2);
  address.writeUInt32BE(0x7f000001, 4);
  return address;
}

/** @param {string} path */
function unixAddress(path) {
  const address = Buffer.alloc(110);
  address.writeUInt16LE(AF_UNIX, 0);
  address.write(path, 2);
  return address;
}

/** Functions of the C library, taken hold of while that is still allowed; null where it cannot be. */
function cLibrary() {
  if (process.platform !== 'linux') return null;
  try {
    /** @type {typeof import('node:ffi')} */
    const ffi = createRequire(import.meta.url)('node:ffi');
    const { functions } = ffi.dlopen(null, {
      open: { arguments: ['u64', 'i32'], return: 'i32' },
      socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
      connect: { arguments: ['i32', 'u64', 'u32'], return: 'i32' },
      kill: { arguments: ['i32', 'i32'], return: 'i32' },
      mmap: { arguments: ['u64', 'u64', 'i32', 'i32', 'i32', 'i64'], return: 'i64' },
      fork: { arguments: [], return: 'i32' },
      _exit: { arguments: ['i32'], return: 'void' },
      syscall: { arguments: ['i64', 'i64', 'u64'], return: 'i64' },
    });
    return { c: functions, pointerTo: ffi.getRawPointer };
  } catch {
    return null;
  }
}

/**
 * Call before the host locks itself, and run afterwards what it returns. Empty where Node cannot call the C library.
 * @param {Orders} orders
 * @returns {Attempt[]}
 */
export function nativeAttempts({ file, port, socket, server }) {
  const library = cLibrary();
  if (library === null) return [];
  const { c, pointerTo } = library;
  const open = (/** @type {string} */ path) => {
    const bytes = Buffer.from(`${path}\0`);
    const pointer = pointerTo(bytes);
    // Naming the bytes here also keeps them from being collected.
    return () => c.open(pointer, 0) >= 0 && bytes.length > 0;
  };
  const reach = (/** @type {number} */ family, /** @type {Buffer} */ address) => {
    const pointer = pointerTo(address);
    return () => {
      const descriptor = c.socket(family, SOCK_STREAM, 0);
      return descriptor >= 0 && c.connect(descriptor, pointer, address.length) === 0;
    };
  };
  const ring = Buffer.alloc(120);
  const ringPointer = pointerTo(ring);
  const fork = () => {
    const child = c.fork();
    if (child === 0) c._exit(0);
    return child > 0;
  };
  /** @type {(name: string, run: () => boolean) => Attempt} */
  const attempt = (name, run) => [`native-${name}`, () => (run() ? 'it was done' : '')];
  return [
    attempt('read', open(file)),
    attempt('server-environ', open(`/proc/${server}/environ`)),
    attempt('connect', reach(AF_INET, loopback(port))),
    attempt('socket', reach(AF_UNIX, unixAddress(socket))),
    attempt('signal', () => c.kill(server, 0) === 0),
    attempt('io-uring', () => c.syscall(SYS_IO_URING_SETUP, 1n, ringPointer) >= 0n && ring.length > 0),
    attempt('fork', fork),
    attempt('executable', () => c.mmap(0n, 4096n, READ_WRITE_EXECUTE, PRIVATE_ANONYMOUS, -1, 0n) !== -1n),
  ];
}
