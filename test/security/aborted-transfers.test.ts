// Clients that hang up, at every moment of every route that streams files: nothing stays open, and the server lives. `ABORTS` in the
// environment sets how many of each route hang up; there are a hundred or so by default.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AbortSite, startAbortSite } from './abort-site.ts';

const ABORTS = Number(process.env['ABORTS'] ?? 120);
/** Points of the store that a request can pass: more than any has. */
const MAX_STEPS = 12;

let site: AbortSite;
beforeAll(async () => {
  site = await startAbortSite();
});
afterAll(() => site.close());

const NAMES = [
  'a download by id',
  'a download by path',
  'a part of a download',
  'the head of a download',
  'a delivered file of a folder',
  'a part of a delivered file',
  'a compressed file',
  'a delivered file of the media store',
  'a file of another server',
  'a variant of the cache',
  'an upload',
  'a signed upload',
] as const;
type Name = (typeof NAMES)[number];
const isUpload = (name: Name) => name.endsWith('upload');

const hangUp = async (socket: Socket) => {
  if (!socket.destroyed) socket.destroy();
  if (!socket.closed) await once(socket, 'close');
};

const expectNothingHeld = () => expect.poll(() => site.held()).toEqual({ files: 0, staged: 0, sockets: 0 });

test('the routes are those that are told', () => {
  expect(Object.keys(site.requests)).toEqual([...NAMES]);
});

describe.each(NAMES)('%s', (name) => {
  test('whose client hangs up after any number of turns of the event loop leaves nothing open', async () => {
    expect(await site.hangUp(name, ABORTS)).toBeGreaterThan(ABORTS / 10);
    await expectNothingHeld();
  });

  test('whose client has hung up at any step of the store leaves nothing open', async () => {
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const { reached, go } = site.steps.stopAt(step);
      const socket = await site.start(name);
      const isThere = await Promise.race([reached.then(() => true), once(socket, 'data').then(() => false)]);
      await hangUp(socket);
      // The server has heard of it when the store goes on. One that waits for the store reads nothing of an upload, its end neither.
      if (!isUpload(name)) await expect.poll(async () => (await site.held()).sockets).toBe(0);
      go();
      if (!isThere) break;
    }
    await expectNothingHeld();
  });
});

test('every file is still served to a client that waits for it', async () => {
  for (const name of NAMES) {
    const socket = await site.start(name);
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect([name, /^HTTP\/1.1 20[016] /.test(first.toString('latin1'))]).toEqual([name, true]);
    await hangUp(socket);
  }
  await expectNothingHeld();
});
