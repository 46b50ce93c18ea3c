// Multipart uploads: none stays open in the bucket, however an upload ends; and how much of them is in memory.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { all, bytesAt, chunksOf, named, someBytes } from '../../contracts/media-cases.ts';
import {
  isS3ServerInstalled,
  launchS3Server,
  objectsIn,
  type S3Server,
} from '../../helpers/store/redis-and-s3.ts';
import { type Fate, proxyTo } from './lost-answers.ts';
import { PREFIX, s3Media } from './workbench.ts';

const BYTES = someBytes(2_000_000);
const isBegin = (method = '', url = '') => method === 'POST' && /[?&]uploads\b/.test(url);
const isListing = (method = '', url = '') => method === 'GET' && /[?&]uploads\b/.test(url);
const isJournal = (method = '', url = '') => method === 'PUT' && url.includes('/.uploads/');

describe.skipIf(!isS3ServerInstalled())('a long upload to a bucket', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await launchS3Server();
  });
  afterAll(() => server.stop());

  /** An upload over a proxy that decides on each request by its method and address. */
  async function open(fateOf: (method?: string, url?: string) => Fate) {
    const settings = await server.createBucket();
    const endpoint = await proxyTo(server.endpoint, ({ method, url }) => fateOf(method, url));
    const store = s3Media({ ...settings, endpoint });
    const direct = s3Media(settings);
    onTestFinished(() => store.close());
    onTestFinished(() => direct.close());
    const upload = await store.begin({ candidate: named('1/a.bin'), contentType: 'text/plain' });
    const everything = () => objectsIn(server.client, settings.bucketName, PREFIX);
    return { store, direct, upload, everything, write: () => upload.write(chunksOf(BYTES)) };
  }

  it('whose journal cannot be written once its parts are begun leaves nothing', async () => {
    let journals = 0;
    let begun = 0;
    const { upload, write, everything } = await open((method, url) => {
      if (isBegin(method, url)) begun += 1;
      // The first ones try out the service and name the key.
      if (isJournal(method, url) && begun > 0) journals += 1;
      return journals > 0 && isJournal(method, url) ? 'refuse' : 'pass';
    });
    await expect(write()).rejects.toMatchObject({ store: 'media' });
    expect(begun).toBe(1);
    await upload.discard();
    expect(await everything()).toEqual([]);
  });

  it('whose beginning was repeated because its answer was lost leaves no other open', async () => {
    let begun = 0;
    const { direct, upload, write, everything } = await open((method, url) => {
      if (!isBegin(method, url)) return 'pass';
      begun += 1;
      return begun === 1 ? 'lose' : 'pass';
    });
    await write();
    expect(begun).toBe(2);
    await upload.publish();
    await upload.settle();
    expect((await bytesAt(direct, '1/a.bin'))?.equals(BYTES)).toBe(true);
    expect(await everything()).toEqual(['1/a.bin']);
  });

  it('of which no beginning was answered leaves nothing', async () => {
    let begun = 0;
    const { upload, write, everything } = await open((method, url) => {
      if (!isBegin(method, url)) return 'pass';
      begun += 1;
      return 'lose';
    });
    await expect(write()).rejects.toMatchObject({ reason: 'unavailable' });
    expect(begun).toBeGreaterThan(1);
    await upload.discard();
    expect(await everything()).toEqual([]);
  });

  it.each(['settle', 'discard'] as const)(
    'that a crash ended before it looked for others it had begun has them ended by the cleanup: %s',
    async (end) => {
      let begun = 0;
      const { direct, upload, write, everything } = await open((method, url) => {
        if (isListing(method, url)) return 'refuse';
        if (!isBegin(method, url)) return 'pass';
        begun += 1;
        return begun === 1 ? 'lose' : 'pass';
      });
      await write();
      await expect(upload.publish()).rejects.toMatchObject({ store: 'media' });
      upload.abandon();
      expect(await everything()).toContain('parts of 1/a.bin');
      const [left] = await all(direct.unsettled(Number.MAX_SAFE_INTEGER));
      expect(left?.key).toBe('1/a.bin');
      await left?.[end]();
      expect(await everything()).toEqual(end === 'settle' ? ['1/a.bin'] : []);
    },
  );

  it('waits for room in memory, and goes on when another one has hung up', async () => {
    const settings = await server.createBucket();
    const store = s3Media(settings, { parts: { max: 2, waitMs: 3_600_000 } });
    onTestFinished(() => store.close());
    const stalls = [1, 2].map(() => Promise.withResolvers<never>());
    const stalled = await Promise.all(
      stalls.map(async (stall, at) => {
        const upload = await store.begin({ candidate: named(`1/stalled-${at}`), contentType: 'a/b' });
        const reached = Promise.withResolvers<void>();
        const source = async function* () {
          yield* chunksOf(BYTES);
          reached.resolve();
          await stall.promise;
        };
        const writing = upload.write(source());
        writing.catch(() => undefined);
        await reached.promise;
        return { upload, writing };
      }),
    );
    const upload = await store.begin({ candidate: named('1/a.bin'), contentType: 'a/b' });
    let read = 0;
    const counted = async function* () {
      for await (const chunk of chunksOf(BYTES)) {
        read += chunk.length;
        yield chunk;
      }
    };
    const writing = upload.write(counted());
    await expect.poll(() => read).toBeGreaterThan(1_048_576);
    const short = await store.begin({ candidate: named('1/short.bin'), contentType: 'a/b' });
    expect(await short.write(chunksOf(BYTES.subarray(0, 1_000_000)))).toBe(1_000_000);
    expect(read).toBeLessThan(BYTES.length);
    stalls[0]?.reject(new Error('hung up'));
    await expect(stalled[0]?.writing).rejects.toThrow('hung up');
    expect(await writing).toBe(BYTES.length);
    stalls[1]?.reject(new Error('hung up'));
    await expect(stalled[1]?.writing).rejects.toThrow('hung up');
    for (const one of [...stalled.map((it) => it.upload), upload, short]) await one.discard();
    expect(await objectsIn(server.client, settings.bucketName, PREFIX)).toEqual([]);
  });

  it('that waits too long for room is refused, and leaves nothing', async () => {
    const settings = await server.createBucket();
    const store = s3Media(settings, { parts: { max: 0, waitMs: 1 } });
    onTestFinished(() => store.close());
    const upload = await store.begin({ candidate: named('1/a.bin'), contentType: 'a/b' });
    await expect(upload.write(chunksOf(BYTES))).rejects.toMatchObject({
      reason: 'busy',
      explanation: 'Too many large files are being uploaded',
    });
    await upload.discard();
    expect(await objectsIn(server.client, settings.bucketName, PREFIX)).toEqual([]);
  });
});
