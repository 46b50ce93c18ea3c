import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  canSwitchUser,
  createUserIdAllocator,
  nodeFlags,
  ulimitOptions,
  ulimitProbeScript,
  ulimitScript,
} from '../../../src/sandbox-supervisor/isolation/host-privileges.ts';
import { openFolder } from '../../helpers/sandbox/users.ts';

const sh = (script: string, ...args: string[]) =>
  spawnSync('/bin/sh', ['-c', script, ...args], { encoding: 'utf8' });

describe('ulimits', () => {
  it('limit memory only without the just-in-time compiler', () => {
    expect(ulimitOptions({ jit: false, memoryMb: 384, ownUser: false })).toContain('-d 393216');
    expect(ulimitOptions({ jit: true, memoryMb: 384, ownUser: false }).join()).not.toContain('-d');
  });

  it('are one command each, as some shells take one option at a time', () => {
    expect(ulimitScript(['-c 0', '-n 64'])).toBe('ulimit -c 0 && ulimit -n 64 && exec "$0" "$@"');
    expect(ulimitScript([])).toBe('exec "$0" "$@"');
  });

  it('apply to the command, whatever its arguments contain', () => {
    const script = ulimitScript(ulimitOptions({ jit: false, memoryMb: 300, ownUser: false }));
    const shown = sh(
      script,
      '/bin/sh',
      '-c',
      'ulimit -c; ulimit -f; ulimit -n; ulimit -s; ulimit -t; ulimit -d; echo "$1"',
      'x',
      'a b;$(id)"',
    );
    expect(shown.stdout).toBe('0\n0\n64\n1024\n900\n307200\na b;$(id)"\n');
  });

  it('that cannot be set prevent the start of the command', () => {
    const { status, stdout } = sh(ulimitScript(['-n nonsense']), '/bin/echo', 'started');
    expect(status).not.toBe(0);
    expect(stdout).toBe('');
  });

  it('are probed one by one', () => {
    expect(sh(ulimitProbeScript(['-c 0', '-n nonsense', '-s 1024'])).stdout).toBe('-c 0\n-s 1024\n');
  });
});

/** Evaluates an expression under the flags. */
function evaluate(expression: string, jit = false): string {
  const flags = nodeFlags({ jit, readable: ['/nothing'] });
  return spawnSync(process.execPath, [...flags, '--print', expression], { encoding: 'utf8' }).stdout.trim();
}

describe('the Node flags of a host', () => {
  it('disable the just-in-time compiler, and WebAssembly with it, unless it is granted', () => {
    expect(evaluate('typeof WebAssembly')).toBe('undefined');
    expect(evaluate('typeof WebAssembly', true)).toBe('object');
  });

  it('disable evaluation and __proto__ in the realm of the host', () => {
    expect(evaluate('try { new Function("1") } catch (error) { error.name }')).toBe('EvalError');
    expect(evaluate('"__proto__" in {}')).toBe('false');
  });

  it('deny every permission that is not named', () => {
    const asked = ['fs.write', 'child', 'worker', 'net', 'inspector', 'wasi'];
    expect(evaluate(`${JSON.stringify(asked)}.filter((scope) => process.permission.has(scope)).length`)).toBe(
      '0',
    );
    expect(evaluate('process.permission.has("fs.read", "/nothing")')).toBe('true');
    expect(evaluate('process.permission.has("fs.read", "/etc/passwd")')).toBe('false');
  });

  it('disable warnings', () => {
    const flags = nodeFlags({ jit: false, readable: [] });
    expect(spawnSync(process.execPath, [...flags, '--eval', '0'], { encoding: 'utf8' }).stderr).toBe('');
  });
});

describe('the user ids of hosts', () => {
  it('are new each time, and outside the ranges that machines allocate', () => {
    const next = createUserIdAllocator(() => 0);
    const ids = Array.from({ length: 1000 }, next);
    expect(new Set(ids).size).toBe(1000);
    expect(Math.min(...ids)).toBeGreaterThanOrEqual(0x70000000);
  });

  it('differ from server to server', () => {
    const servers = [0, 1, 0xffe].map((drawn) =>
      createUserIdAllocator((below) => Math.min(drawn, below - 1)),
    );
    const ids = servers.flatMap((next) => Array.from({ length: 0x10000 }, next));
    expect(new Set(ids).size).toBe(3 * 0x10000);
    expect(ids.reduce((most, id) => Math.max(most, id))).toBeLessThan(2 ** 31);
  });

  it('repeat after all were used', () => {
    const next = createUserIdAllocator(() => 0);
    const first = next();
    for (let count = 1; count < 0x10000; count++) next();
    expect(next()).toBe(first);
  });

  it('are only allocated when the server is root', () => {
    expect(canSwitchUser(['/'])).toBe(process.getuid?.() === 0);
  });

  it('are not allocated when other users cannot read the files', () => {
    const open = openFolder();
    const place = mkdtempSync(join(open ?? tmpdir(), 'cloister-own-user-'));
    onTestFinished(() => rmSync(place, { recursive: true }));
    const folder = join(place, 'closed');
    mkdirSync(folder);
    const file = join(folder, 'file');
    writeFileSync(file, '');
    chmodSync(place, 0o755);
    chmodSync(folder, 0o700);
    expect(canSwitchUser([file])).toBe(false);
    chmodSync(folder, 0o711);
    expect(canSwitchUser([file])).toBe(open !== undefined);
    chmodSync(file, 0o640);
    expect(canSwitchUser([file])).toBe(false);
    expect(canSwitchUser([join(folder, 'none')])).toBe(false);
  });
});
