// Reads of files that nobody takes in, and whatever else goes on in the bucket at the same time.
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isS3ServerInstalled, launchS3Server, type S3Server } from '../../helpers/store/redis-and-s3.ts';
import { openInBucket } from './workbench.ts';

/** As many connections as reads have. */
const READS = 256;
const KEY = '1.0/library/files/big.bin';
const BYTES = 4_000_000;

describe.skipIf(!isS3ServerInstalled())('in a bucket whose connections for reads are all taken', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await launchS3Server();
  });
  afterAll(() => server.stop());

  it('files are looked up, uploaded, listed and removed, and read again once the clients have gone', async () => {
    const { store, put } = await openInBucket(server);
    await put(KEY, Buffer.alloc(BYTES));
    const read = async () => (await store.read(KEY)) as Readable;
    const streams = await Promise.all(Array.from({ length: READS }, read));
    expect(await store.stat(KEY)).toMatchObject({ size: BYTES });
    const other = '1.0/library/files/other.txt';
    const upload = await store.begin({ candidate: () => other, contentType: 'text/plain' });
    await upload.write(
      (async function* () {
        yield Buffer.from('bytes');
      })(),
    );
    expect(await upload.publish()).toBe(other);
    await upload.settle();
    const listed: string[] = [];
    for await (const { key } of store.list()) listed.push(key);
    expect(listed.sort()).toEqual([KEY, other]);
    await store.health();
    await store.remove([other]);
    expect(await store.stat(other)).toBeUndefined();
    // One read more has to wait until another one ends.
    const waiting = read();
    const isHere = await Promise.race([waiting.then(() => true), store.health().then(() => false)]);
    expect(isHere).toBe(false);
    for (const stream of streams) stream.destroy();
    let size = 0;
    for await (const chunk of await waiting) size += (chunk as Buffer).length;
    expect(size).toBe(BYTES);
    await store.close();
  });
});
