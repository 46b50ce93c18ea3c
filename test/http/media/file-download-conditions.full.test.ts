// Downloads over real sockets: clients that stop reading or go away, stores that fail, and what all of that holds in memory.
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { MediaStore } from '../../../src/stores/media-store.ts';
import { type MediaApp, startMediaApp } from './media-app.ts';

const BIG = 32 * 1024 * 1024;

interface Started {
  readonly url: URL;
  /** Every stream that the store gave out. */
  readonly streams: Readable[];
  /** Sends a request and reads nothing of the answer until told. */
  ask(path: string): Promise<Socket>;
  readonly put: MediaApp['put'];
}

async function start(
  config: JsonObject,
  wrap: (disk: MediaStore) => Partial<MediaStore> = () => ({}),
): Promise<Started> {
  const streams: Readable[] = [];
  const app = await startMediaApp(config, (disk) => {
    const wrapped = { ...disk, ...wrap(disk) };
    const read: MediaStore['read'] = async (key, range) => {
      const stream = await wrapped.read(key, range);
      if (stream !== undefined) streams.push(stream);
      return stream;
    };
    return { ...wrapped, read };
  });
  onTestFinished(() => app.close());
  const url = new URL(await app.listen());
  const ask = async (path: string) => {
    const socket = connect(Number(url.port), url.hostname);
    onTestFinished(() => void socket.destroy());
    // Not flowing: the kernel's buffers fill, and then the server has to wait.
    socket.on('error', () => undefined);
    socket.write(`GET /1.0/library/open/${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    return socket;
  };
  return { url, streams, ask, put: app.put };
}

const isReleased = (streams: readonly Readable[]) =>
  streams.length > 0 && streams.every(({ closed }) => closed);
const download = ({ url }: Started, path: string) => fetch(new URL(`/1.0/library/open/${path}`, url));

test('a large file arrives whole, and its handle is released', async () => {
  const server = await start({});
  await server.put({ collection: 'open', path: 'big.bin', bytes: Buffer.alloc(BIG, 'abcdefg') });
  const bytes = Buffer.from(await (await download(server, 'big.bin')).arrayBuffer());
  expect(bytes.equals(Buffer.alloc(BIG, 'abcdefg'))).toBe(true);
  await expect.poll(() => isReleased(server.streams)).toBe(true);
});

test('a client that goes away releases the handle', async () => {
  const server = await start({});
  await server.put({ collection: 'open', path: 'big.bin', bytes: Buffer.alloc(BIG) });
  const socket = await server.ask('big.bin');
  await expect.poll(() => server.streams.length).toBe(1);
  expect(isReleased(server.streams)).toBe(false);
  socket.destroy();
  await expect.poll(() => isReleased(server.streams)).toBe(true);
});

test('a client that goes away while the store gives nothing releases the handle', async () => {
  const server = await start({}, () => ({ read: async () => new Readable({ read() {} }) }));
  await server.put({ collection: 'open', path: 'a.txt' });
  const socket = await server.ask('a.txt');
  await expect.poll(() => server.streams.length).toBe(1);
  socket.destroy();
  await expect.poll(() => isReleased(server.streams)).toBe(true);
});

test('a client that stops reading is closed after its time, and the handle released', async () => {
  const server = await start({ limits: { sendSeconds: 1 } });
  await server.put({ collection: 'open', path: 'big.bin', bytes: Buffer.alloc(BIG) });
  const socket = await server.ask('big.bin');
  await expect.poll(() => server.streams.length).toBe(1);
  await expect.poll(() => isReleased(server.streams)).toBe(true);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  await closed;
});

test('downloads that nobody reads wait in the store, and there is room for so many', async () => {
  const server = await start({ limits: { unsentBytes: 1_048_576, sendSeconds: 600 } });
  await server.put({ collection: 'open', path: 'big.bin', bytes: Buffer.alloc(BIG) });
  const sockets = await Promise.all(Array.from({ length: 12 }, () => server.ask('big.bin')));
  const begins: string[] = [];
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.once('data', (chunk) => {
            begins.push(String(chunk).slice(0, 12));
            socket.pause();
            resolve();
          });
        }),
    ),
  );
  const read = server.streams.map((stream) => ('bytesRead' in stream ? Number(stream.bytesRead) : BIG));
  // What is read ahead is the buffers of the process and of the system: far less than the file.
  expect(Math.max(...read)).toBeLessThan(BIG / 2);
  // 256 KB are counted for each.
  expect(begins.filter((line) => line === 'HTTP/1.1 200')).toHaveLength(4);
  expect(begins.filter((line) => line === 'HTTP/1.1 503')).toHaveLength(8);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => isReleased(server.streams)).toBe(true);
  await server.put({ collection: 'open', path: 'a.txt' });
  await expect.poll(async () => (await download(server, 'a.txt')).text()).toBe('bytes');
});

test('a store that fails on the way breaks the connection: a part never looks like the whole', async () => {
  const server = await start({}, () => ({
    read: async () =>
      Readable.from(
        (async function* () {
          for (let megabyte = 0; megabyte < 8; megabyte += 1) yield Buffer.alloc(1_048_576);
          throw new StoreError('unavailable');
        })(),
        { objectMode: false },
      ),
  }));
  await server.put({ collection: 'open', path: 'big.bin', bytes: Buffer.alloc(BIG) });
  const answer = await download(server, 'big.bin');
  expect(answer.status).toBe(200);
  await expect(answer.arrayBuffer()).rejects.toThrow();
});

test('a file that is shorter than it was breaks the connection', async () => {
  const server = await start({}, () => ({
    read: async () => Readable.from([Buffer.alloc(65_536), Buffer.alloc(65_536)]),
  }));
  await server.put({ collection: 'open', path: 'big.bin', bytes: Buffer.alloc(200_000) });
  const answer = await download(server, 'big.bin');
  expect(answer.status).toBe(200);
  await expect(answer.arrayBuffer()).rejects.toThrow();
});

test.each([
  ['when it is asked for the file', { stat: () => Promise.reject(new StoreError('unavailable')) }],
  ['when it opens the file', { read: () => Promise.reject(new StoreError('unavailable')) }],
  [
    'before the first byte',
    {
      read: async () =>
        new Readable({
          read() {
            this.destroy(new Error('the disk is broken'));
          },
        }),
    },
  ],
])('a store that fails %s is 503 with the time to come again', async (_, broken) => {
  const server = await start({}, () => broken);
  await server.put({ collection: 'open', path: 'a.txt' });
  const answer = await download(server, 'a.txt');
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(answer.headers.get('content-disposition')).toBeNull();
  expect(answer.headers.get('etag')).toBeNull();
  expect(await answer.text()).not.toContain('disk');
});

test('a connection goes on behind a download', async () => {
  const server = await start({});
  await server.put({ collection: 'open', path: 'a.txt', bytes: 'first' });
  const socket = await server.ask('a.txt');
  socket.write(
    'GET /1.0/library/open/a.txt HTTP/1.1\r\nHost: x\r\nRange: bytes=1-2\r\nConnection: close\r\n\r\n',
  );
  let text = '';
  for await (const chunk of socket) text += chunk;
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 206']);
  expect(text.endsWith('\r\n\r\nir')).toBe(true);
});
