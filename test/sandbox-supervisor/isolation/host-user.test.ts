import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canSwitchUser, createUserIdAllocator } from '../../../src/sandbox-supervisor/isolation/host-user.ts';
import { openFolder } from '../../helpers/nobody.ts';

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
