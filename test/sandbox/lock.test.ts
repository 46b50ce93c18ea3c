// Everything that a host does after its lock must still work, and nothing that it must not.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { bindingPath } from '../../sandbox/binding.js';
import { nodeFlags } from '../../src/sandbox-supervisor/isolation/host-privileges.ts';
import { pathFor, type TestUser, testUsers } from '../helpers/sandbox/users.ts';

interface Report {
  readonly layers: Record<string, boolean>;
  readonly [measured: string]: unknown;
}

function runLocked(user: TestUser, jit: boolean) {
  const { before, node, root } = user;
  const driver = pathFor(user, new URL('./locked.js', import.meta.url));
  const binding = bindingPath(pathToFileURL(`${root}/`));
  const scripts = ['lock.js', 'seccomp.js', 'syscalls.js'].map((name) => join(root, 'sandbox', name));
  const flags = nodeFlags({ jit, readable: [binding, driver, ...scripts] });
  const [program = '', ...args] = [...before, node, ...flags, driver, binding];
  // A time zone that it has to overcome.
  const env = { PWD: '/', TZ: 'Asia/Tokyo' };
  const { stdout, stderr, signal } = spawnSync(program, args, {
    cwd: '/',
    env,
    encoding: 'utf8',
    timeout: 15_000,
  });
  expect(stderr).toBe('');
  expect(signal).toBe('SIGKILL');
  return JSON.parse(stdout) as Report;
}

const CASES = testUsers().flatMap((user) =>
  // What depends on the compiler does not depend on the user.
  (user.before.length === 0 ? [false, true] : [false]).map((jit) => ({
    user,
    jit,
    name: `${jit ? 'with' : 'without'} a compiler, as ${user.user}`,
  })),
);

describe.each(CASES)('a locked host $name', ({ user, jit }) => {
  let report: Report;

  beforeAll(() => {
    report = runLocked(user, jit);
  });

  it('says which layers it has put up', () => {
    const linux = process.platform === 'linux';
    expect(report.layers).toEqual({
      permissions: true,
      selfLock: linux,
      noNewPrivileges: linux,
      diesWithServer: linux,
    });
  });

  it('still runs isolates, many of them, and stops them at their limits', () => {
    expect(report['sum']).toBe((50 * 51) / 2);
    expect(report['loops']).toEqual(Array(10).fill('failed: Script execution timed out.'));
    expect(report['hot']).toMatch(/^\d+$/);
    expect(report['objects']).toMatch(/failed: .*memory limit/);
    expect(report['buffers']).toMatch(/failed: Array buffer allocation failed/);
    expect(report['recursion']).toMatch(/failed: Maximum call stack/);
  });

  it('still has texts, randomness, hashes and meters', () => {
    expect(report['texts']).toBe('-1x12.345,6');
    expect(report['crypto']).toEqual([36, 64, 9]);
    expect(report['cpu']).toBe(true);
  });

  it('lives in UTC and en-US, wherever the server is', () => {
    expect(report['dates']).toBe('Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)en-US');
  });

  it('reads no file, loads no native code and calls none', () => {
    expect(report['read']).toBe('ERR_ACCESS_DENIED');
    expect(report['addon']).toBe('ERR_ACCESS_DENIED');
    expect(report['ffi']).toBe('ERR_ACCESS_DENIED');
  });
});
