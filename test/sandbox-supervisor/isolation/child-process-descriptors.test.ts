import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { withOnlyPipes } from '../../../src/sandbox-supervisor/isolation/child-process.ts';
import { ROOT } from '../../helpers/fixtures/source-tree.ts';

const MODULE = join(ROOT, 'src/sandbox-supervisor/isolation/child-process.ts');
const LIST =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell fills it in
  'for descriptor in /proc/self/fd/*; do echo "${descriptor##*/} $(readlink $descriptor)"; done; true';

describe('the file descriptors of a host', () => {
  it('are its pipes, with /dev/null for the standard ones', () => {
    expect(withOnlyPipes(2, (stdio) => (stdio as readonly unknown[]).slice(0, 5))).toEqual([
      ...['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    ]);
  });

  it('are open, and connected to the server', async () => {
    const child = withOnlyPipes(1, (stdio) => spawn('/bin/sh', ['-c', 'echo said >&3'], { stdio }));
    expect(await text(child.stdio[3] as never)).toBe('said\n');
    if (child.exitCode === null) await once(child, 'exit');
  });

  it.runIf(process.platform === 'linux')('do not include those that the server inherited', () => {
    const script = `
      const { withOnlyPipes } = await import(${JSON.stringify(MODULE)});
      const { spawn } = await import('node:child_process');
      const start = (stdio) => spawn('/bin/sh', ['-c', ${JSON.stringify(`{ ${LIST}; } >&3`)}], { stdio });
      const child = withOnlyPipes(1, start);
      child.stdio[3].pipe(process.stdout);`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
      // Descriptors 40 and 41 of the server. Those below 16 are Node's own care.
      stdio: ['ignore', 'pipe', 'inherit', ...Array<'ignore'>(37).fill('ignore'), 'pipe', 2],
    });
    const open = new Map(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(' ') as [string, string]),
    );
    expect(open.get('3')).toMatch(/^socket:/);
    expect([open.get('0'), open.get('40'), open.get('41')]).toEqual(['/dev/null', '/dev/null', '/dev/null']);
    const others = [...open].filter(([number]) => Number(number) > 3).map(([, target]) => target);
    // What the shell has open to list them is gone by then.
    expect(others.filter((target) => target !== '/dev/null' && target !== '')).toEqual([]);
  });
});
