// Builds the two system call filters (seccomp, classic BPF) of a host. Only arithmetic: nothing is installed here.
import { CONDITIONAL, NEEDED, REFUSED_AT_START } from './syscalls.js';

/** @typedef {readonly [code: number, ifTrue: number, ifFalse: number, value: number]} Instruction */

// Where the kernel puts what is asked: number, architecture, and from byte 16 six arguments of 8 bytes, low half first.
const NUMBER = 0;
const ARCHITECTURE = 4;
const low = (/** @type {number} */ argument) => 16 + 8 * argument;
const high = (/** @type {number} */ argument) => 20 + 8 * argument;

/** @type {(offset: number) => Instruction} */
const load = (offset) => [0x20, 0, 0, offset];
/** @type {(value: number, ifTrue: number, ifFalse: number) => Instruction} */
const equal = (value, ifTrue, ifFalse) => [0x15, ifTrue, ifFalse, value];
/** @type {(value: number, ifTrue: number, ifFalse: number) => Instruction} */
const atLeast = (value, ifTrue, ifFalse) => [0x35, ifTrue, ifFalse, value];
/** @type {(bits: number, ifTrue: number, ifFalse: number) => Instruction} */
const anyOf = (bits, ifTrue, ifFalse) => [0x45, ifTrue, ifFalse, bits];
/** @type {(value: number) => Instruction} */
const answer = (value) => [0x06, 0, 0, value];

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const errnoAction = (/** @type {number} */ errno) => 0x00050000 | errno;
const EPERM = errnoAction(1);
/** "No such call": the C library then uses `clone`, whose flags a filter can see. */
const ENOSYS = errnoAction(38);

const PROT_EXEC = 4;
const CLONE_THREAD = 0x10000;
/** CLONE_NEW…: namespaces. */
const NAMESPACES = 0x7e020000;
const PR_SET_NAME = 15;
const PR_SET_VMA = 0x53564d41;
/** From here on x64 counts the calls of its 32-bit variant. */
const X32 = 0x40000000;

/** Column in `syscalls.js`, and the kernel's name of the architecture. */
const MACHINES = new Map([
  ['x64', { column: 0, audit: 0xc000003e }],
  ['arm64', { column: 1, audit: 0xc00000b7 }],
]);

/** @param {readonly Instruction[]} program */
function assemble(program) {
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  program.forEach(([code, ifTrue, ifFalse, value], index) => {
    bytes.setUint16(index * 8, code, true);
    bytes.setUint8(index * 8 + 2, ifTrue);
    bytes.setUint8(index * 8 + 3, ifFalse);
    bytes.setUint32(index * 8 + 4, value >>> 0, true);
  });
  return new Uint8Array(bytes.buffer);
}

/**
 * What happens for one call: every path through `steps` ends in an answer.
 * @param {number | null | undefined} number
 * @param {readonly Instruction[]} steps
 * @returns {Instruction[]}
 */
function rule(number, steps) {
  return typeof number === 'number' ? [equal(number, 0, steps.length), ...steps] : [];
}

/** @param {number} audit @returns {Instruction[]} */
function sameArchitecture(audit) {
  return [load(ARCHITECTURE), equal(audit, 1, 0), answer(KILL), load(NUMBER)];
}

const THREADS_ONLY = [
  load(low(0)),
  anyOf(NAMESPACES, 2, 0),
  anyOf(CLONE_THREAD, 0, 1),
  answer(ALLOW),
  answer(EPERM),
];
const NOT_EXECUTABLE = [load(low(2)), anyOf(PROT_EXEC, 0, 1), answer(EPERM), answer(ALLOW)];
const ALWAYS = [answer(ALLOW)];
/** @param {number} pid */
const onlyMyself = (pid) => [load(low(0)), equal(pid, 0, 1), answer(ALLOW), answer(EPERM)];
const NAMES = [load(low(0)), equal(PR_SET_NAME, 1, 0), equal(PR_SET_VMA, 0, 1), answer(ALLOW), answer(EPERM)];
/** Reading its own limits: process 0 is the caller, and there is no pointer to new values. */
const READ_MY_LIMITS = [
  load(low(0)),
  equal(0, 0, 5),
  load(low(2)),
  equal(0, 0, 3),
  load(high(2)),
  equal(0, 0, 1),
  answer(ALLOW),
  answer(EPERM),
];

/**
 * For the whole life of a host, from before its first instruction: a list of refusals, because Node has yet to start.
 * Null where the numbers are not known.
 * @param {string} arch as in `process.arch`
 */
export function startFilter(arch) {
  const machine = MACHINES.get(arch);
  if (machine === undefined) return null;
  const { column, audit } = machine;
  return assemble([
    ...sameArchitecture(audit),
    ...(arch === 'x64' ? [atLeast(X32, 0, 1), answer(EPERM)] : []),
    ...rule(CONDITIONAL['clone']?.[column], THREADS_ONLY),
    ...rule(CONDITIONAL['clone3']?.[column], [answer(ENOSYS)]),
    ...Object.values(REFUSED_AT_START).flatMap((numbers) => rule(numbers[column], [answer(EPERM)])),
    answer(ALLOW),
  ]);
}

/**
 * For a host that has loaded all it needs: a list of what is allowed. Memory can no longer be made executable, which is only
 * possible without the just-in-time compiler. Null where the numbers are not known.
 * @param {string} arch as in `process.arch`
 * @param {{ pid: number, jit: boolean }} host `pid` as the host sees itself
 */
export function lockFilter(arch, { pid, jit }) {
  const machine = MACHINES.get(arch);
  if (machine === undefined) return null;
  const { column, audit } = machine;
  /** @type {(name: string, steps: readonly Instruction[]) => Instruction[]} */
  const when = (name, steps) => rule(CONDITIONAL[name]?.[column], steps);
  const memory = jit ? ALWAYS : NOT_EXECUTABLE;
  return assemble([
    ...sameArchitecture(audit),
    ...when('mprotect', memory),
    ...when('mmap', memory),
    ...Object.values(NEEDED).flatMap((numbers) => rule(numbers[column], ALWAYS)),
    ...(jit ? ['pkey_mprotect', 'pkey_alloc', 'pkey_free'].flatMap((name) => when(name, ALWAYS)) : []),
    ...when('clone', THREADS_ONLY),
    ...when('clone3', [answer(ENOSYS)]),
    ...when('kill', onlyMyself(pid)),
    ...when('tgkill', onlyMyself(pid)),
    ...when('prctl', NAMES),
    ...when('prlimit64', READ_MY_LIMITS),
    answer(EPERM),
  ]);
}
