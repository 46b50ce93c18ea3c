// Clients that hang up while a file comes from a bucket or goes there: nothing stays open, here or towards the bucket. `ABORTS` in the
// environment sets how many of each route hang up. An upload is six requests to the bucket, since its name is taken: some 25 ms of
// processor time here, of which the client of the service takes 2 a request, and 8 in the bucket's server.
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isS3ServerInstalled, launchS3Server, type S3Server } from '../helpers/store/redis-and-s3.ts';
import { s3Media } from '../stores/s3-media/workbench.ts';
import { type AbortSite, AT_ONCE, startAbortSite } from './abort-site.ts';

const ABORTS = Number(process.env['ABORTS'] ?? 100);
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

  test.each(NAMES)('%s whose client hangs up at any time leaves nothing open', async (name) => {
    const cut = await site.hangUp(name, ABORTS);
    expect(cut).toBeGreaterThan(ABORTS / 10);
    await expect.poll(() => site.held()).toMatchObject({ files: 0, sockets: 0 });
    await expect.poll(descriptors).toBeLessThanOrEqual(before + MAX_MORE_DESCRIPTORS);
    if (process.env['ABORTS'] !== undefined)
      console.log(name, { cut, before, now: descriptors(), rss: process.memoryUsage.rss() >> 20 });
  });

  test('every file is still served to a client that waits for it', async () => {
    for (const name of NAMES) {
      const socket = await site.start(name);
      const [first] = (await once(socket, 'data')) as [Buffer];
      expect([name, /^HTTP\/1.1 20[016] /.test(first.toString('latin1'))]).toEqual([name, true]);
      socket.destroy();
      await once(socket, 'close');
    }
  });
});
