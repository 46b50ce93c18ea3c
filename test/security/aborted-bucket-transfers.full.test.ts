// Clients that hang up while a file comes from a bucket or goes there: nothing stays open, here or towards the bucket. `ABORTS` in the
// environment sets how many of each route hang up.
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isS3ServerInstalled, launchS3Server, type S3Server } from '../helpers/store/redis-and-s3.ts';
import { s3Media } from '../stores/s3-media/workbench.ts';
import { type AbortSite, startAbortSite } from './abort-site.ts';

const ABORTS = Number(process.env['ABORTS'] ?? 24);
const AT_ONCE = 8;
/** Turns of the event loop after which the last ones hang up. */
const MAX_TURNS = 4000;
/** Connections to the bucket that wait for the next request, and what the process opens once. */
const MAX_MORE_DESCRIPTORS = 4 * AT_ONCE;

const NAMES = [
  'a download by id',
  'a download by path',
  'a part of a download',
  'the head of a download',
  'a delivered file of the media store',
  'an upload',
  'a signed upload',
] as const;

/** Of this process; none where there is no `/proc`. */
const descriptors = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);

describe.skipIf(!isS3ServerInstalled())('with media in a bucket', () => {
  let server: S3Server;
  let site: AbortSite;
  let before: number;
  beforeAll(async () => {
    server = await launchS3Server();
    site = await startAbortSite(s3Media(await server.createBucket(), { prefix: '' }));
    before = descriptors();
  });
  afterAll(async () => {
    await site?.close();
    await server?.stop();
  });

  const start = async (name: string) => {
    const { url, bytes } = await (site.requests[name] as NonNullable<(typeof site.requests)[string]>)();
    return site.send(url, bytes);
  };

  test.each(NAMES)('%s whose client hangs up at any time leaves nothing open', async (name) => {
    let count = 0;
    const work = async () => {
      while (count < ABORTS) {
        count += 1;
        const turns = Math.floor(MAX_TURNS ** (count / ABORTS));
        const socket = (await start(name)).resume();
        for (let turn = 0; turn < turns && !socket.closed; turn += 1) await nextTurn();
        if (!socket.destroyed) socket.destroy();
        if (!socket.closed) await once(socket, 'close');
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    await expect.poll(() => site.held()).toMatchObject({ files: 0, sockets: 0 });
    await expect.poll(descriptors).toBeLessThanOrEqual(before + MAX_MORE_DESCRIPTORS);
    if (process.env['ABORTS'] !== undefined)
      console.log(name, { count, before, now: descriptors(), rss: process.memoryUsage.rss() >> 20 });
  });

  test('every file is still served to a client that waits for it', async () => {
    for (const name of NAMES) {
      const socket = await start(name);
      const [first] = (await once(socket, 'data')) as [Buffer];
      expect([name, /^HTTP\/1.1 20[016] /.test(first.toString('latin1'))]).toEqual([name, true]);
      socket.destroy();
      await once(socket, 'close');
    }
  });
});
