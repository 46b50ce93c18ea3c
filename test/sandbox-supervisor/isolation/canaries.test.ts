import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Canaries, createCanaries } from '../../../src/sandbox-supervisor/isolation/canaries.ts';

let canaries: Canaries | undefined;

afterEach(() => canaries?.remove());

describe('canaries', () => {
  it('can be touched by every user, and record that', async () => {
    canaries = await createCanaries();
    expect(readFileSync(canaries.file, 'utf8')).toBe('canary');
    expect(await canaries.touches()).toEqual(new Set());
    for (const address of [{ port: canaries.port, host: '127.0.0.1' }, { path: canaries.socket }]) {
      await once(connect(address), 'close');
    }
    writeFileSync(canaries.newFile, '');
    expect(await canaries.touches()).toEqual(new Set(['connect', 'socket', 'write']));
  });

  it('are removed with their folder', async () => {
    const { file, port, remove } = await createCanaries();
    await remove();
    expect(existsSync(file)).toBe(false);
    const socket = connect(port, '127.0.0.1');
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
  });
});
