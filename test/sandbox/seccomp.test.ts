import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lockFilter, startFilter } from '../../sandbox/seccomp.js';
import { CONDITIONAL, NEEDED, REFUSED_AT_START } from '../../sandbox/syscalls.js';
import { decide, type Verdict } from './filter-machine.ts';

const EPERM: Verdict = { errno: 1 };
const ENOSYS: Verdict = { errno: 38 };
const PID = 4711;
const MACHINES = [
  { arch: 'x64', column: 0, audit: 0xc000003e, other: 0xc00000b7, openat: 257, execve: 59 },
  { arch: 'arm64', column: 1, audit: 0xc00000b7, other: 0xc000003e, openat: 56, execve: 221 },
] as const;
const CLONE_THREAD = 0x10000n;
const SIGCHLD = 17n;
const NEW_USER = 0x10000000n;

function present(list: Readonly<Record<string, readonly (number | null)[]>>, column: number): number[] {
  return Object.values(list).flatMap((numbers) => numbers[column] ?? []);
}

for (const { arch, column, audit, other, openat, execve } of MACHINES) {
  const start = startFilter(arch)!;
  const lock = lockFilter(arch, { pid: PID, jit: false })!;
  const withJit = lockFilter(arch, { pid: PID, jit: true })!;
  const call = (program: Uint8Array, number: number, ...args: bigint[]) =>
    decide(program, { number, audit, args });
  const number = (name: string) => CONDITIONAL[name]![column]!;

  describe(`filters for ${arch}`, () => {
    it('kill whoever speaks for another machine', () => {
      for (const program of [start, lock, withJit]) {
        expect(decide(program, { number: NEEDED['read']![column]!, audit: other })).toBe('kill');
      }
    });

    it('come to an answer for every call', () => {
      fc.assert(
        fc.property(
          fc.nat(0xffffffff),
          fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { maxLength: 6 }),
          (nr, args) => {
            for (const program of [start, lock, withJit]) call(program, nr, ...args);
          },
        ),
      );
      for (let nr = 0; nr < 600; nr++) for (const program of [start, lock, withJit]) call(program, nr);
    });

    it('fit into what the kernel takes', () => {
      for (const program of [start, lock, withJit]) expect(program.length / 8).toBeLessThan(4096);
    });

    it('let Node start: files, programs, threads and memory', () => {
      for (const nr of [openat, execve, ...present(NEEDED, column), number('mmap')]) {
        expect(call(start, nr, 0n, 0n, 7n)).toBe('allow');
      }
      expect(call(start, number('clone'), CLONE_THREAD)).toBe('allow');
    });

    it('refuse from the start what is listed', () => {
      for (const nr of present(REFUSED_AT_START, column)) expect(call(start, nr)).toEqual(EPERM);
    });

    it('allow threads, and neither processes nor namespaces', () => {
      for (const program of [start, lock, withJit]) {
        expect(call(program, number('clone'), CLONE_THREAD)).toBe('allow');
        expect(call(program, number('clone'), SIGCHLD)).toEqual(EPERM);
        expect(call(program, number('clone'), CLONE_THREAD | NEW_USER)).toEqual(EPERM);
        // Its flags lie in memory, where a filter cannot look.
        expect(call(program, number('clone3'))).toEqual(ENOSYS);
      }
    });

    it('leave a locked host what is listed, and nothing else', () => {
      const listed = new Set([...present(NEEDED, column), ...present(CONDITIONAL, column)]);
      for (const nr of present(NEEDED, column)) expect(call(lock, nr)).toBe('allow');
      for (let nr = 0; nr < 600; nr++) {
        if (!listed.has(nr)) expect(call(lock, nr)).toEqual(EPERM);
      }
      for (const nr of present(REFUSED_AT_START, column)) expect(call(lock, nr)).toEqual(EPERM);
    });

    it('keep memory from being made executable, unless there is a compiler', () => {
      for (const name of ['mmap', 'mprotect']) {
        expect(call(lock, number(name), 0n, 4096n, 3n)).toBe('allow');
        for (const protection of [4n, 5n, 7n, 2n ** 32n + 4n]) {
          expect(call(lock, number(name), 0n, 4096n, protection)).toEqual(EPERM);
          expect(call(withJit, number(name), 0n, 4096n, protection)).toBe('allow');
        }
      }
      expect(call(lock, number('pkey_mprotect'), 0n, 4096n, 3n)).toEqual(EPERM);
    });

    it('let a host end itself and nobody else', () => {
      for (const name of ['kill', 'tgkill']) {
        expect(call(lock, number(name), BigInt(PID), 9n)).toBe('allow');
        for (const pid of [1n, 0n, -1n, BigInt(-PID), BigInt(PID) + 1n]) {
          expect(call(lock, number(name), pid, 9n)).toEqual(EPERM);
        }
      }
    });

    it('let a host name its threads and read its limits, not change them', () => {
      expect(call(lock, number('prctl'), 15n)).toBe('allow');
      for (const option of [1n, 4n, 22n, 38n]) expect(call(lock, number('prctl'), option)).toEqual(EPERM);
      expect(call(lock, number('prlimit64'), 0n, 3n, 0n)).toBe('allow');
      expect(call(lock, number('prlimit64'), 0n, 3n, 1n)).toEqual(EPERM);
      expect(call(lock, number('prlimit64'), 0n, 3n, 2n ** 32n)).toEqual(EPERM);
      expect(call(lock, number('prlimit64'), 1n, 3n, 0n)).toEqual(EPERM);
    });
  });
}

describe('filters', () => {
  it('refuse the 32-bit variant of the calls of x64', () => {
    for (const nr of [41, 57, 59, 257]) {
      expect(decide(startFilter('x64')!, { number: 0x40000000 + nr, audit: 0xc000003e })).toEqual(EPERM);
    }
  });

  it('are not made for machines whose numbers are not known', () => {
    for (const arch of ['ia32', 'riscv64', '__proto__']) {
      expect(startFilter(arch)).toBeNull();
      expect(lockFilter(arch, { pid: 1, jit: false })).toBeNull();
    }
  });
});
