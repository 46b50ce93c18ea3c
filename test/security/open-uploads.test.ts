// Clients that open uploads and do not end them: so many, of so many bytes, and of one signed URL a single one.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import {
  FORM_TYPE,
  formOf,
  type MediaServer,
  PICTURES,
  sign,
  startMediaServer,
} from '../helpers/app/media-server.ts';
import { picture } from '../helpers/fixtures/images.ts';

const FORM = formOf([{ fileName: 'test.jpg', type: 'image/jpeg', body: Buffer.alloc(60_000, 1) }]);
const HALF = FORM.length / 2;

interface OpenUpload {
  readonly socket: Socket;
  /** Resolves with the status line of the answer. */
  answer(): Promise<string>;
}

async function startSite(limits: JsonObject, media: JsonObject = {}) {
  const server = await startMediaServer({ limits, media });
  onTestFinished(() => server.close());
  const token = await server.adminToken();
  const { hostname, port } = new URL(server.url);
  /** Sends the first bytes of an upload, announced to be `length` bytes long, and leaves it open. */
  const open = async (path: string, { bytes = HALF, length = FORM.length, bearer = token } = {}) => {
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const lines = [`POST ${path} HTTP/1.1`, 'Host: a', `Content-Type: ${FORM_TYPE}`];
    socket.write(
      `${[...lines, `Content-Length: ${length}`, `Authorization: Bearer ${bearer}`].join('\r\n')}\r\n\r\n`,
    );
    socket.write(FORM.subarray(0, bytes));
    const answer = async () => {
      await expect.poll(() => text, { interval: 5 }).toContain('\r\n\r\n');
      return text.slice(0, text.indexOf('\r\n'));
    };
    return { socket, answer } satisfies OpenUpload;
  };
  /** Files that are staged. */
  const staged = () => server.files().filter((path) => path.startsWith('.uploads/')).length;
  const isStaged = (count: number) => expect.poll(staged, { interval: 5 }).toBe(count);
  return { ...server, open, isStaged };
}

/** Sends a form, on request without its length. */
async function send(
  site: Pick<MediaServer, 'url' | 'adminToken'>,
  form: Buffer,
  { isChunked = false } = {},
): Promise<{ readonly status: number; readonly body: unknown }> {
  const headers = { authorization: `Bearer ${await site.adminToken()}`, 'content-type': FORM_TYPE };
  const body = isChunked ? new Blob([new Uint8Array(form)]).stream() : new Uint8Array(form);
  const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
  const answer = await fetch(site.url + PICTURES, init);
  return { status: answer.status, body: await answer.json() };
}

describe('one signed URL', () => {
  it('takes one upload at a time, and another one when the first has hung up', async () => {
    const site = await startSite({});
    const url = await sign(site, '/api/media/sign', { collection: 'pictures' });
    const first = await site.open(url, { bearer: '' });
    await site.isStaged(1);
    const others = await Promise.all(Array.from({ length: 20 }, () => site.open(url, { bearer: '' })));
    const answers = await Promise.all(others.map(({ answer }) => answer()));
    expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 400 Bad Request']));
    await site.isStaged(1);
    first.socket.destroy();
    await site.isStaged(0);
    const { status } = await site.send(FORM, { path: url, token: null });
    expect(status).toBe(201);
  });
});

describe('uploads that stay open', () => {
  it('leave no room beyond their number: 503 before the form is read, until one hangs up', async () => {
    const site = await startSite({ uploads: 3, uploadsPerClient: 3 });
    const open = await Promise.all([1, 2, 3].map(() => site.open(PICTURES)));
    await site.isStaged(3);
    const refused = await site.send(FORM);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(refused.body.errors[0].message).toContain('`limits.uploads`');
    open[0]?.socket.destroy();
    await site.isStaged(2);
    expect((await site.send(FORM)).status).toBe(201);
  });

  it('of one client leave room for others', async () => {
    const site = await startSite({ uploads: 3, uploadsPerClient: 2 });
    await Promise.all([1, 2].map(() => site.open(PICTURES)));
    await site.isStaged(2);
    expect((await site.send(FORM)).body.errors[0].message).toContain('`limits.uploadsPerClient`');
    const token = await site.userToken('other');
    expect((await site.upload([{ fileName: 'a', body: 'x' }], { token })).status).toBe(201);
  });

  it('take no more bytes than all together may, and give them back', async () => {
    const site = await startSite({ stagedBytes: 1_048_576 }, { maxFileSize: 1_048_576 });
    const formWith = (bytes: number) => formOf([{ fileName: 'a.bin', body: Buffer.alloc(bytes) }]);
    const first = await site.open(PICTURES, { length: 1_000_000 });
    await site.isStaged(1);
    // Announced in full, or in chunks, of which nobody knows how many come.
    for (const options of [{}, { isChunked: true }]) {
      const refused = await send(site, formWith(1_040_000), options);
      expect(refused.status).toBe(503);
      expect(JSON.stringify(refused.body)).toContain('`limits.stagedBytes`');
    }
    expect((await send(site, formWith(900_000))).status).toBe(201);
    first.socket.destroy();
    await site.isStaged(0);
    expect((await send(site, formWith(1_040_000), { isChunked: true })).status).toBe(201);
  });

  it('of images, two hundred at once, have their width and height, each of them that is stored', async () => {
    const site = await startSite({});
    const png = await picture(40, 30, (image) => image.png());
    const images = Array.from({ length: 200 }, (_, at) =>
      site.upload([{ fileName: `${at}.png`, type: 'image/png', body: png }]),
    );
    const answers = await Promise.all(images);
    expect(answers.map(({ status }) => status)).toEqual(images.map(() => 201));
    for (const { body } of answers) expect(body.results[0]).toMatchObject({ width: 40, height: 30 });
  });
});
