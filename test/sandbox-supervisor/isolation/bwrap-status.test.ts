import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { watchBwrap } from '../../../src/sandbox-supervisor/isolation/system-tools.ts';

const ended: (() => void)[] = [];

afterEach(() => {
  for (const end of ended.splice(0)) end();
});

/** A stand-in for bubblewrap: reads descriptor 3 to its end, says its pid on descriptor 4, and has one child. */
function standIn(says: string) {
  const script = `cat <&3 >/dev/null; sleep 30 & echo '${says}' | sed "s/PID/$$/" >&4; echo >&4; wait`;
  const child = spawn('/bin/sh', ['-c', script], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
  });
  ended.push(() => process.kill(-(child.pid ?? 0), 'SIGKILL'));
  const [filter, status] = (child.stdio as readonly unknown[]).slice(3) as [Socket, Socket];
  return { child, filter, status };
}

describe('watching bwrap', () => {
  it('sends the filter, and finds the host below the first process', async () => {
    const { child, filter, status } = standIn('{ "child-pid": PID, "net-namespace": 1 }');
    const pid = watchBwrap({ filter, status }, new Uint8Array(800));
    expect(pid()).toBeUndefined();
    await once(status, 'data');
    const found = pid();
    if (process.platform === 'linux') expect(found).toBeGreaterThan(child.pid ?? 0);
    expect(pid()).toBe(found);
  });

  it.each(['nonsense', '{ "child-pid": "x" }', '{ "child-pid": 99999999999999 }'])(
    'knows no host when bwrap prints %s',
    async (says) => {
      const { filter, status } = standIn(says);
      const pid = watchBwrap({ filter, status }, null);
      await once(status, 'data');
      expect(pid()).toBeUndefined();
    },
  );

  it('ignores a bwrap that exits before it has read the filter', async () => {
    const child = spawn('/bin/sh', ['-c', 'exit 1'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    const [filter, status] = (child.stdio as readonly unknown[]).slice(3) as [Socket, Socket];
    const closed = new Promise((resolve) => filter.once('close', resolve));
    await once(child, 'exit');
    const pid = watchBwrap({ filter, status }, new Uint8Array(4_000_000));
    await closed;
    expect(pid()).toBeUndefined();
  });
});
