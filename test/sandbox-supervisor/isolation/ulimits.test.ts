import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  ulimitOptions,
  ulimitProbeScript,
  ulimitScript,
} from '../../../src/sandbox-supervisor/isolation/ulimits.ts';

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
