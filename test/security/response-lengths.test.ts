// Bodies on the wire are as long as they announce, on both ports and from any source: what a client takes for the next response is one.
import { once } from 'node:events';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { upload } from '../helpers/app/media-server.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

/** More than the buffers of the system and the server hold together. */
const BIG = 24 * 1024 * 1024;
const FORGED = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 8\r\n\r\n<script>';
const SPEC = { fields: {}, settings: { type: 'media', authenticate: false } };

let workspace: Workspace;
let app: TestApp;
let content: URL;
let delivery: URL;
/** Another server, which says that its file has five bytes. */
let origin: Server;
let answer: (response: ServerResponse) => void;
let remotePath: string;

beforeAll(async () => {
  origin = createServer((request, response) => {
    const head = { 'content-type': 'application/pdf', etag: '"1"' };
    if (request.method === 'HEAD') response.writeHead(200, { ...head, 'content-length': 5 }).end();
    else answer(response.writeHead(200, head));
  });
  origin.listen(0, '127.0.0.1');
  await once(origin, 'listening');
  const address = `http://127.0.0.1:${(origin.address() as AddressInfo).port}`;
  remotePath = `/any/${address}/a.pdf`;
  const remote = { enabled: true, allow: [address], allowPrivateAddresses: true };
  const images = { directory: { enabled: true }, remote };
  workspace = createWorkspace({ '1.0/library/files': SPEC }, { images });
  for (const folder of ['images', 'workspace/recipes'])
    mkdirSync(join(workspace.cwd, folder), { recursive: true });
  const recipe = JSON.stringify({ recipe: 'any', settings: { format: 'png' } });
  writeFileSync(join(workspace.path, 'recipes/any.json'), recipe);
  app = await startApp({ workspace });
  content = new URL(await app.listen());
  delivery = new URL((await app.app.listenDelivery()).url);
});
afterAll(async () => {
  await app.close();
  origin.closeAllConnections();
  origin.close();
  workspace.remove();
});

interface Wire {
  /** Everything from the server, in Latin-1. */
  readonly text: string;
  /** Status lines of responses. */
  readonly statuses: readonly string[];
}

const requestFor = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

/** Everything that comes after the first piece, before which `meanwhile` runs, until the connection is idle or closed. */
async function exchange(url: URL, requests: string, meanwhile: () => void = () => undefined): Promise<Wire> {
  const socket: Socket = connect(Number(url.port), url.hostname).on('error', () => undefined);
  const pieces: Buffer[] = [];
  socket.write(requests);
  pieces.push(...((await once(socket, 'data')) as Buffer[]));
  socket.pause();
  // The server fills what buffers there are.
  for (let turn = 0; turn < 100; turn += 1) await nextTurn();
  meanwhile();
  socket.on('data', (piece: Buffer) => pieces.push(piece)).resume();
  if (!socket.closed) await once(socket, 'close');
  const text = Buffer.concat(pieces).toString('latin1');
  return { text, statuses: text.match(/HTTP\/1\.1 \d{3}/g) ?? [] };
}

const bodyOf = (text: string) => text.slice(text.indexOf('\r\n\r\n') + 4);
const LAST = requestFor('/health', 'Connection: close\r\n');

describe('a server that sends other bytes than it announced', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['more at once', (response) => response.end(`AAAAA${FORGED}`)],
    ['less', (response) => response.end('AAA')],
    ['nothing', (response) => response.end()],
  ])('by sending %s gets an error as its answer, and nothing of it reaches a client', async (_, send) => {
    answer = send;
    const { text, statuses } = await exchange(delivery, requestFor(remotePath) + LAST);
    expect(text).not.toContain('AAA');
    expect(text).not.toContain('<script>');
    expect(statuses).toEqual(['HTTP/1.1 502', 'HTTP/1.1 200']);
  });

  it('by going on after the end ends the connection, and nothing of it reaches a client', async () => {
    answer = (response) => {
      response.write('AAAAA');
      const more = setInterval(() => response.write(FORGED), 5);
      response.once('close', () => clearInterval(more));
    };
    const { text, statuses } = await exchange(delivery, requestFor(remotePath) + LAST);
    expect(text).not.toContain('<script>');
    expect(statuses).toHaveLength(1);
    expect(statuses[0] === 'HTTP/1.1 502' || bodyOf(text) === 'AAAAA').toBe(true);
  });

  it('by breaking off behind the first bytes ends the connection', async () => {
    answer = (response) => {
      response.write('AAA');
      setTimeout(() => response.destroy(), 50);
    };
    const { text, statuses } = await exchange(delivery, requestFor(remotePath) + LAST);
    expect(statuses.length).toBeLessThanOrEqual(2);
    expect(statuses[0] === 'HTTP/1.1 200' && statuses.length === 1 ? bodyOf(text) : 'AAA').toBe('AAA');
  });
});

describe('a file that is cut while it is sent', () => {
  const cut = async (url: URL, path: string, file: string, headers = '') => {
    const { text, statuses } = await exchange(url, requestFor(path, headers) + LAST, () =>
      truncateSync(file, 1000),
    );
    expect(statuses).toHaveLength(1);
    expect(Number(/content-length: (\d+)/i.exec(text)?.[1])).toBeGreaterThan(BIG / 2);
    expect(bodyOf(text).length).toBeLessThan(BIG / 2);
  };

  it('from a folder ends the connection, whole or in part', async () => {
    const file = join(workspace.cwd, 'images/big.pdf');
    for (const headers of ['', `Range: bytes=5-${BIG - 5}\r\n`]) {
      writeFileSync(file, Buffer.alloc(BIG, 'a'));
      await cut(delivery, '/big.pdf', file, headers);
    }
  });

  it('from the media store ends the connection on both ports', async () => {
    const token = await app.adminToken();
    for (const url of [delivery, content]) {
      const sent = { fileName: 'big.pdf', mimetype: 'application/pdf', content: Buffer.alloc(BIG, 'a') };
      const { body } = await upload(app, '/1.0/library/files', sent, { token });
      const { path } = body.results[0];
      await cut(url, `/${path}`, join(workspace.path, 'media', path));
    }
  });
});
