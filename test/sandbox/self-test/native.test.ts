import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Canaries, createCanaries } from '../../../src/sandbox-supervisor/isolation/canaries.ts';
import { runUnwalled } from '../unisolated.ts';

let canaries: Canaries;

beforeAll(async () => {
  canaries = await createCanaries();
});

afterAll(() => canaries.remove());

describe.runIf(process.platform === 'linux')('attempts by system calls', () => {
  it('get through where there is no isolation layer', () => {
    const got = runUnwalled('native.js', 'nativeAttempts', { ...canaries, server: process.pid });
    // A machine may forbid io_uring to all.
    const { 'native-io-uring': _, ...rest } = got;
    expect(rest).toEqual({
      'native-read': 'it was done',
      'native-server-environ': 'it was done',
      'native-connect': 'it was done',
      'native-socket': 'it was done',
      'native-signal': 'it was done',
      'native-fork': 'it was done',
      'native-executable': 'it was done',
    });
  });

  it('get nothing where there is nothing', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => probe.once('listening', resolve));
    const { port } = probe.address() as { port: number };
    await new Promise((resolve) => probe.close(resolve));
    const nothing = { file: '/none', newFile: '/none', socket: '/none', server: 2 ** 30, port };
    const got = runUnwalled('native.js', 'nativeAttempts', nothing);
    expect(got['native-read']).toBe('');
    expect(got['native-connect']).toBe('');
    expect(got['native-socket']).toBe('');
    expect(got['native-signal']).toBe('');
  });
});
