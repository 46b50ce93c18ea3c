// One file on its way into the bucket: reservations, services without conditions, failures between two requests.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  all,
  beginUpload,
  bytesAt,
  bytesOf,
  chunksOf,
  named,
  someBytes,
  storeFile,
} from '../../contracts/media-cases.ts';
import {
  isS3ServerInstalled,
  launchS3Server,
  objectsIn,
  type S3Server,
} from '../../helpers/store/redis-and-s3.ts';
import { type LogLine, PREFIX, s3Media } from './workbench.ts';

/** A service that keeps objects in memory and overwrites them whatever the conditions of a request. */
async function carelessService(): Promise<string> {
  const objects = new Map<string, { body: Buffer; metadata: Record<string, string> }>();
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '', 'http://localhost').pathname;
    const body = Buffer.concat(await all(request as AsyncIterable<Buffer>));
    const found = objects.get(path);
    if (request.method === 'PUT') {
      const metadata = Object.entries(request.headers).filter(([name]) => name.startsWith('x-amz-meta-'));
      objects.set(path, { body, metadata: Object.fromEntries(metadata) as Record<string, string> });
      response.writeHead(200, { etag: '"x"' }).end();
    } else if (request.method === 'POST') {
      for (const [, key] of body.toString().matchAll(/<Key>(.*?)<\/Key>/g))
        objects.delete(`/pictures/${key}`);
      response.writeHead(200).end('<DeleteResult></DeleteResult>');
    } else if (found === undefined) response.writeHead(404).end();
    else response.writeHead(200, { ...found.metadata, 'content-length': found.body.length }).end(found.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

it('a service without conditions is asked first, and the log warns of it once', async () => {
  const lines: LogLine[] = [];
  const keys = { accessKey: 'a', secretKey: 'b', bucketName: 'pictures', region: 'us-east-1' } as const;
  const store = s3Media({ ...keys, endpoint: await carelessService(), forcePathStyle: true }, { lines });
  onTestFinished(() => store.close());
  expect(await storeFile(store, '1/a.txt', bytesOf('first'))).toBe('1/a.txt');
  expect(await storeFile(store, '1/a.txt', bytesOf('second'))).toBe('1/a-1.txt');
  expect(await bytesAt(store, '1/a.txt')).toEqual(bytesOf('first'));
  expect(lines.map(({ message }) => message)).toEqual([expect.stringContaining('no conditional requests')]);
});

describe.skipIf(!isS3ServerInstalled())('an upload to a real server', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await launchS3Server();
  });
  afterAll(() => server.stop());

  it('that somebody else overwrites while it goes on fails, and leaves the other file alone', async () => {
    const settings = await server.createBucket();
    const store = s3Media(settings);
    const upload = await beginUpload(store, '1/a.bin', someBytes(9_000_000));
    const Key = `${PREFIX}1/a.bin`;
    await server.client.send(new PutObjectCommand({ Bucket: settings.bucketName, Key, Body: 'other' }));
    await expect(upload.publish()).rejects.toMatchObject({ reason: 'failed' });
    await upload.discard();
    expect(await bytesAt(store, '1/a.bin')).toEqual(bytesOf('other'));
    expect(await objectsIn(server.client, settings.bucketName, PREFIX)).toEqual(['1/a.bin']);
    await store.close();
  });

  it('can be discarded while its source still sends', async () => {
    const settings = await server.createBucket();
    const store = s3Media(settings);
    const upload = await store.begin({ candidate: named('1/a.bin'), contentType: 'text/plain' });
    const source = async function* () {
      yield* chunksOf(someBytes(9_000_000));
      await upload.discard();
      yield* chunksOf(someBytes(9_000_000));
    };
    await expect(upload.write(source())).rejects.toMatchObject({ reason: 'failed' });
    expect(await objectsIn(server.client, settings.bucketName, PREFIX)).toEqual([]);
    await store.close();
  });

  it('that is published before it was written fails, and leaves nothing', async () => {
    const settings = await server.createBucket();
    const store = s3Media(settings);
    const upload = await store.begin({ candidate: named('1/a.bin'), contentType: 'text/plain' });
    await expect(upload.publish()).rejects.toMatchObject({ reason: 'failed', store: 'media' });
    await upload.discard();
    expect(await objectsIn(server.client, settings.bucketName, PREFIX)).toEqual([]);
    await store.close();
  });

  it('works after a first one that failed because the server was away', async () => {
    const settings = await server.createBucket();
    const store = s3Media(settings);
    await server.kill();
    const early = beginUpload(store, '1/a.txt', bytesOf('early')).then((upload) => upload.publish());
    await expect(early).rejects.toMatchObject({ reason: 'unavailable', store: 'media' });
    await server.start();
    await storeFile(store, '1/b.txt', bytesOf('later'));
    expect(await bytesAt(store, '1/b.txt')).toEqual(bytesOf('later'));
    await store.close();
  });

  it('that cannot be discarded because the server is away is found again by the same process', async () => {
    const settings = await server.createBucket();
    const store = s3Media(settings);
    const upload = await beginUpload(store, '1/a.bin', someBytes(9_000_000));
    await server.kill();
    await expect(upload.discard()).rejects.toMatchObject({ reason: 'unavailable', store: 'media' });
    await server.start();
    for (const left of await all(store.unsettled(Number.MAX_SAFE_INTEGER))) await left.discard();
    expect(await objectsIn(server.client, settings.bucketName, PREFIX)).toEqual([]);
    await store.close();
  });

  it('is hidden by its size alone from nobody: files as long as a reservation are listed', async () => {
    const settings = await server.createBucket();
    const store = s3Media(settings);
    const bytes = bytesOf('this name is reserved by an upload');
    await storeFile(store, '1/a.txt', bytes);
    expect(await all(store.list())).toHaveLength(1);
    expect(await bytesAt(store, '1/a.txt')).toEqual(bytes);
    await store.close();
  });

  it('has the media type that was declared', async () => {
    const settings = await server.createBucket();
    const store = s3Media(settings, { prefix: '' });
    for (const [name, size] of [
      ['short', 10],
      ['long', 2_000_000],
    ] as const) {
      const upload = await store.begin({ candidate: named(`1/${name}.png`), contentType: 'image/png' });
      await upload.write(chunksOf(someBytes(size)));
      await upload.publish();
      await upload.settle();
      const answer = await fetch(store.cloudUrlOf(`1/${name}.png`) ?? '');
      expect(answer.status).toBe(403);
      const at = { Bucket: settings.bucketName, Key: `1/${name}.png` };
      expect((await server.client.send(new HeadObjectCommand(at))).ContentType).toBe('image/png');
    }
    await store.close();
  });
});
