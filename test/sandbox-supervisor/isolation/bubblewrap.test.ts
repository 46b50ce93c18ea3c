import { describe, expect, it } from 'vitest';
import { bwrapArguments } from '../../../src/sandbox-supervisor/isolation/system-tools.ts';

describe('the bwrap command line', () => {
  const line = bwrapArguments({ files: ['/a', '/b c'], filter: 4, status: 5 });

  it('shares nothing with the machine, and dies with the server', () => {
    expect(line).toEqual(expect.arrayContaining(['--unshare-all', '--die-with-parent', '--new-session']));
    expect(line.join(' ')).toContain('--cap-drop ALL');
    expect(line).not.toContain('--share-net');
  });

  it('binds the given files read-only, and no others', () => {
    const bound = line.flatMap((word, index) =>
      word.includes('bind') ? [line.slice(index, index + 3)] : [],
    );
    expect(bound).toEqual([
      ['--ro-bind', '/a', '/a'],
      ['--ro-bind', '/b c', '/b c'],
    ]);
    expect(line).not.toContain('--proc');
    expect(line).not.toContain('--dev');
    expect(line.indexOf('--remount-ro')).toBeGreaterThan(line.lastIndexOf('--ro-bind'));
  });

  it('ends with --, so that no part of the command is taken for an option', () => {
    expect(line.at(-1)).toBe('--');
    expect(line.slice(-5)).toEqual(['--seccomp', '4', '--json-status-fd', '5', '--']);
  });

  it('has no filter where none is known', () => {
    expect(bwrapArguments({ files: [], filter: undefined, status: 5 })).not.toContain('--seccomp');
  });
});
