import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Canaries, createCanaries } from '../../../src/sandbox-supervisor/isolation/canaries.ts';
import { runUnwalled } from '../unisolated.ts';

let canaries: Canaries;

beforeAll(async () => {
  canaries = await createCanaries();
});

afterAll(() => canaries.remove());

describe('attempts by way of Node', () => {
  it('get through where there is no isolation layer', async () => {
    const got = runUnwalled('node.js', 'nodeAttempts', { ...canaries, server: process.pid });
    const through = Object.keys(got).filter((name) => got[name] === 'it was done');
    // Connections are seen by the servers, not by the process. The others depend on the machine and on who starts the tests.
    const seenHere = through.filter((name) => !['first-environ', 'descriptors'].includes(name));
    expect(seenHere).toEqual([
      ...[
        'read',
        'list',
        'write',
        'spawn',
        'worker',
        'inspector',
        'parent-environ',
        'server-environ',
        'signal',
      ],
      ...['addon', 'ffi', 'environment', 'own-script'],
    ]);
    expect(await canaries.touches()).toEqual(new Set(['connect', 'socket', 'write']));
  });

  it('find a descriptor that was handed down', () => {
    const orders = { ...canaries, server: process.pid };
    for (const handed of ['pipe', 1] as const) {
      expect(runUnwalled('node.js', 'nodeAttempts', orders, [handed])['descriptors']).toBe('it was done');
    }
  });
});
