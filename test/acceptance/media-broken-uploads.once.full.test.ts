// Uploads that break off, hang, or are refused while the client still writes: the client learns why, and nothing is left.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  FORM_TYPE,
  formOf,
  type MediaServer,
  PICTURES,
  startMediaServer,
} from '../helpers/app/media-server.ts';
import { loopMs } from '../helpers/server-process/timing.ts';

const MAX_BYTES = 100_000;
const FORM = formOf([
  { name: 'caption', body: 'x' },
  { fileName: 'one.bin', body: Buffer.alloc(50_000, 1) },
  { fileName: 'two.bin', body: Buffer.alloc(50_000, 2) },
]);

let server: MediaServer;
beforeAll(async () => {
  server = await startMediaServer({
    media: { maxFileSize: MAX_BYTES, requestSeconds: 5 },
    limits: { headersSeconds: 1, requestSeconds: 1 },
  });
});
afterAll(() => server.close());

interface Head {
  readonly length?: number;
  readonly token?: string | null;
  readonly more?: readonly string[];
}

async function headOf({ length, token, more = [] }: Head): Promise<string> {
  const bearer = token === undefined ? await server.adminToken() : token;
  const body = length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`;
  const lines = [`POST ${PICTURES} HTTP/1.1`, 'Host: a', `Content-Type: ${FORM_TYPE}`, body, ...more];
  return `${[...lines, ...(bearer === null ? [] : [`Authorization: Bearer ${bearer}`])].join('\r\n')}\r\n\r\n`;
}

interface Talk {
  readonly socket: Socket;
  text(): string;
  /** Resolves when the answers so far hold this. */
  hears(wanted: string): Promise<void>;
}

async function open(): Promise<Talk> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const hears = (wanted: string) => expect.poll(() => text, { interval: 5 }).toContain(wanted);
  return { socket, text: () => text, hears };
}

const nothingIsLeft = () =>
  expect
    .poll(async () => [server.files(), (await server.inject('GET', PICTURES)).body.results])
    .toEqual([[], []]);

describe('an upload that breaks off', () => {
  it('leaves nothing, wherever that was', async () => {
    const ends = Array.from({ length: 40 }, (_, n) => Math.floor(((n * 7919) % 997) * (FORM.length / 997)));
    await Promise.all(
      ends.map(async (end) => {
        const { socket } = await open();
        socket.write(await headOf({ length: FORM.length }));
        socket.write(FORM.subarray(0, end), () =>
          end % 2 === 0 ? socket.destroy() : socket.resetAndDestroy(),
        );
        await once(socket, 'close');
      }),
    );
    await nothingIsLeft();
  });

  it('is 400 where the request is whole and the form is not', async () => {
    for (const end of [0, 1, 60, 200, 40_000, FORM.length - 5]) {
      const { status, body } = await server.send(FORM.subarray(0, end));
      expect([end, status]).toEqual([end, 400]);
      expect(body.errors[0].message).toMatch(end === 0 ? /must be specified/ : /last boundary/);
    }
    await nothingIsLeft();
  });
});

describe('an upload that is refused', () => {
  it('without a token is 401 before a byte of the body is sent', async () => {
    const { socket, hears } = await open();
    socket.write(await headOf({ length: FORM.length, token: null, more: ['Expect: 100-continue'] }));
    await hears('HTTP/1.1 401');
    socket.destroy();
  });

  it('for its length is 413, read by a client that goes on writing', async () => {
    const before = server.files();
    const { socket, text, hears } = await open();
    socket.write(await headOf({}));
    const form = formOf([{ fileName: 'large.bin', body: Buffer.alloc(MAX_BYTES, 1) }]);
    const part = form.subarray(0, form.length - 40);
    const chunk = (bytes: Buffer) =>
      Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
    socket.write(chunk(part));
    const more = chunk(Buffer.alloc(65_536, 3));
    for (let sent = 0; sent < 200 && !socket.destroyed; sent += 1) socket.write(more);
    await hears('"statusCode":413');
    expect(text()).toMatch(/^HTTP\/1.1 413 .*\bconnection: close/is);
    expect(server.files()).toEqual(before);
    socket.destroy();
  });

  it('for the second of its files takes the first with it', async () => {
    const files = [
      { fileName: 'a', body: 'a' },
      { fileName: 'b', body: Buffer.alloc(MAX_BYTES + 1) },
    ];
    const { status, body } = await server.upload(files);
    expect([status, body.errors[0].message]).toEqual([413, expect.stringContaining(`${MAX_BYTES} bytes`)]);
    await nothingIsLeft();
  });

  it('for its 50 parts is 400', async () => {
    const { status } = await server.upload(Array(50).fill({ fileName: 'a', body: 'a' }));
    expect(status).toBe(400);
    await nothingIsLeft();
  });
});

describe('the time that an upload may take', () => {
  it('is its own: longer than that of other requests, and then it is 408', async () => {
    const began = performance.now();
    const [other, upload] = await Promise.all([open(), open()]);
    const { hostname } = new URL(server.url);
    other.socket.write(
      `POST /token HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    );
    upload.socket.write(await headOf({ length: FORM.length }));
    let at = 0;
    const trickle = setInterval(() => {
      upload.socket.write(FORM.subarray(at, at + 50));
      at += 50;
    }, 50);
    // A second, and two until the server looks; with the time of an upload it would be five at least.
    expect(await loopMs(() => other.hears('HTTP/1.1 408'))).toBeLessThan(4000);
    await upload.hears('HTTP/1.1 408');
    clearInterval(trickle);
    expect(performance.now() - began).toBeGreaterThan(4900);
    expect(upload.text()).toContain('"success":false');
    for (const { socket } of [other, upload]) socket.destroy();
    await nothingIsLeft();
  });

  it('ends with it: the next request of the connection has that of others', async () => {
    const { socket, hears, text } = await open();
    const form = formOf([{ fileName: 'slow.txt', body: 'slow' }]);
    socket.write(await headOf({ length: form.length }));
    socket.write(form.subarray(0, 20));
    // The server looks every two seconds for what has taken longer than one.
    const { promise: looked, resolve } = Promise.withResolvers<void>();
    server.app.server.server.once('clientError', () => resolve());
    await looked;
    socket.write(form.subarray(20));
    await hears('HTTP/1.1 201');
    socket.write(
      'POST /token HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    );
    await hears('HTTP/1.1 408');
    expect(text().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 408']);
    socket.destroy();
  });
});

it('a client that waits for `100 Continue` gets it, and uploads', async () => {
  const { socket, hears, text } = await open();
  const form = formOf([{ fileName: 'asked.txt', body: 'asked' }]);
  socket.write(await headOf({ length: form.length, more: ['Expect: 100-continue'] }));
  await hears('HTTP/1.1 100 Continue\r\n\r\n');
  socket.write(form);
  await hears('HTTP/1.1 201');
  expect(text().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 201']);
  socket.destroy();
});

it('uploads follow each other on one connection', async () => {
  const { socket, hears } = await open();
  for (const n of [1, 2, 3]) {
    const form = formOf([{ fileName: `${n}.txt`, body: `${n}` }]);
    socket.write(await headOf({ length: form.length }));
    socket.write(form);
    await hears(`"originalFileName":"${n}.txt"`);
  }
  socket.destroy();
});
