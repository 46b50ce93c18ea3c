// Requests to the bucket: what happens while it is away, and how long they may take.

import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Bucket } from '../../../src/stores/s3-media/bucket.ts';
import { bytesAt, bytesOf, storeFile } from '../../contracts/media-cases.ts';
import { isS3ServerInstalled, launchS3Server, type S3Server } from '../../helpers/store/redis-and-s3.ts';
import { type LogLine, s3Media } from './workbench.ts';

const KEYS = {
  accessKey: 'a',
  secretKey: 'the secret',
  bucketName: 'pictures',
  region: 'us-east-1',
  forcePathStyle: true,
} as const;

/** A server that takes connections and answers nothing. */
async function silentServer(): Promise<string> {
  const server: Server = createServer().listen(0, '127.0.0.1');
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => sockets.add(socket));
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

describe('a bucket', () => {
  it('without an answer is unavailable after the time limit', async () => {
    const lines: LogLine[] = [];
    const store = s3Media({ ...KEYS, endpoint: await silentServer() }, { timeoutMs: 100, lines });
    onTestFinished(() => store.close());
    await expect(store.stat('1/a.txt')).rejects.toMatchObject({ reason: 'unavailable' });
    await expect(store.health()).rejects.toMatchObject({ reason: 'unavailable' });
    expect(lines).toHaveLength(1);
  });

  it('sends nothing and loads nothing before it is used', async () => {
    await new Bucket({ settings: { ...KEYS, endpoint: 'http://127.0.0.1:1' }, maxSockets: 1 }).close();
  });
});

describe.skipIf(!isS3ServerInstalled())('a bucket of a real server', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await launchS3Server();
  });
  afterAll(() => server.stop());

  it('is unavailable while its server is down, and works again afterwards', async () => {
    const lines: LogLine[] = [];
    const store = s3Media(await server.createBucket(), { lines });
    onTestFinished(() => store.close());
    await storeFile(store, '1/a.txt', bytesOf('a'));
    await server.kill();
    await expect(store.read('1/a.txt')).rejects.toMatchObject({ reason: 'unavailable' });
    await expect(storeFile(store, '1/b.txt', bytesOf('b'))).rejects.toMatchObject({ reason: 'unavailable' });
    await server.start();
    expect(await bytesAt(store, '1/a.txt')).toEqual(bytesOf('a'));
    expect(await storeFile(store, '1/b.txt', bytesOf('b'))).toBe('1/b.txt');
    expect(lines.map(({ message }) => message)).toEqual([expect.stringContaining('does not answer')]);
  });

  it.each([
    ['wrong keys', { secretKey: 'another secret' }, 'media.s3.secretKey'],
    ['the name of no bucket', { bucketName: 'missing' }, 'media.s3.bucketName'],
    ['another region', { region: 'eu-west-1' }, 'media.s3.region'],
  ])('fails with %s, and the log says which setting is wrong', async (_, wrong, setting) => {
    const lines: LogLine[] = [];
    const settings = { ...(await server.createBucket()), ...wrong };
    const store = s3Media(settings, { lines });
    onTestFinished(() => store.close());
    await expect(storeFile(store, '1/a.txt', bytesOf('a'))).rejects.toMatchObject({ reason: 'failed' });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.message).toContain(setting);
    expect(JSON.stringify(lines)).not.toContain(settings.secretKey);
    await expect(store.health()).rejects.toMatchObject({ reason: 'failed' });
  });

  it('tells equal bytes from others of the same size, in listings too', async () => {
    const store = s3Media(await server.createBucket());
    onTestFinished(() => store.close());
    await storeFile(store, '1/a.txt', bytesOf('one'));
    const first = await store.stat('1/a.txt');
    await store.remove(['1/a.txt']);
    await storeFile(store, '1/a.txt', bytesOf('two'));
    const second = await store.stat('1/a.txt');
    expect(first?.etag).not.toBe(second?.etag);
    for await (const listed of store.list()) expect(listed).toEqual({ key: '1/a.txt', ...second });
  });
});
