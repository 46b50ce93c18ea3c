// A site with every route that streams files, in the test's own process: both ports on real sockets, a folder, a media store whose
// operations a test can hold up, another web server, and variants. It counts what of all that is open.
import { once } from 'node:events';
import { mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { openDiskMedia } from '../../src/stores/disk-media/disk-media.ts';
import type { MediaStore, MediaUpload } from '../../src/stores/media-store.ts';
import { startApp } from '../helpers/app/app.ts';
import { FORM_TYPE, filesForm, sign, upload } from '../helpers/app/media-server.ts';
import { noise } from '../helpers/fixtures/images.ts';
import { filesBelow } from '../helpers/temp/folders.ts';
import { createWorkspace } from '../helpers/temp/workspace.ts';

const FILE_BYTES = 400_000;
/** Clients that hang up at the same time. */
export const AT_ONCE = 8;
const SPEC: JsonObject = { fields: {}, settings: { type: 'media', authenticate: false } };

/** The points between which the operations of a store run. */
interface Steps {
  /** The next request stops at the point of this number, from 0, until `go`. */
  stopAt(step: number): { readonly reached: Promise<void>; readonly go: () => void };
}

function createSteps(): Steps & { readonly pass: () => Promise<void> } {
  let left = -1;
  let stop = Promise.withResolvers<void>();
  let reached = Promise.withResolvers<void>();
  return {
    stopAt(step) {
      left = step;
      stop = Promise.withResolvers();
      reached = Promise.withResolvers();
      return {
        reached: reached.promise,
        go() {
          left = -1;
          stop.resolve();
        },
      };
    },
    async pass() {
      left -= 1;
      if (left !== -1) return;
      reached.resolve();
      await stop.promise;
    },
  };
}

/** The same store with a point before and behind each operation. */
function inSteps(store: MediaStore, pass: () => Promise<void>): MediaStore {
  const stepped =
    <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await pass();
      const result = await work(...args);
      await pass();
      return result;
    };
  const uploadInSteps = (upload: MediaUpload): MediaUpload => ({
    write: stepped((source) => upload.write(source)),
    publish: stepped(() => upload.publish()),
    settle: stepped(() => upload.settle()),
    discard: () => upload.discard(),
    abandon: () => upload.abandon(),
  });
  return {
    ...store,
    stat: stepped(store.stat),
    read: stepped(store.read),
    begin: stepped(async (options) => uploadInSteps(await store.begin(options))),
  };
}

async function listenForOriginals(body: Buffer): Promise<Server> {
  const server = createServer((request, response) => {
    response.writeHead(200, {
      'content-type': 'application/pdf',
      etag: '"1"',
      'content-length': body.length,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

export interface AbortSite {
  readonly steps: Steps;
  readonly content: URL;
  readonly delivery: URL;
  /** Requests by the route that they are for. */
  readonly requests: Readonly<Record<string, () => Promise<{ readonly url: URL; readonly bytes: Buffer }>>>;
  /** Sends a request. What comes is read once somebody listens. */
  send(url: URL, bytes: Buffer): Promise<Socket>;
  /** Sends a request of a route. */
  start(name: string): Promise<Socket>;
  /**
   * Sends `count` requests of a route, eight at a time, and hangs up after any number of turns of the event loop, up to as many as the
   * longest of eight whole answers took; most early. Resolves with how many of them had not been answered to the end by then.
   */
  hangUp(name: string, count: number): Promise<number>;
  /** Descriptors of files of the site that are open, its staged files, and the sockets of its clients and origins. */
  held(): Promise<{ readonly files: number; readonly staged: number; readonly sockets: number }>;
  close(): Promise<void>;
}

/** Descriptors of this process that are open on files below these folders; none where there is no `/proc`. */
function openBelow(folders: readonly string[]): number {
  if (process.platform !== 'linux') return 0;
  const targets = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return targets.filter((target) => folders.some((folder) => target.startsWith(folder))).length;
}

/** Hangs up after so many turns, unless the answer ends before. Resolves with the turns until then. */
async function hangUpAfter(turns: number, socket: Socket): Promise<number> {
  let turn = 0;
  for (; turn < turns && !socket.closed; turn += 1) await nextTurn();
  if (!socket.destroyed) socket.destroy();
  if (!socket.closed) await once(socket, 'close');
  return turn;
}

const connectionsOf = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));

/** Headers of every request. The server closes behind its answer, so that a client sees the end of it. */
const GREETING = 'Host: x\r\nConnection: close\r\n';

const requestTo = (url: URL, path: string, method = 'GET', headers = '') => ({
  url,
  bytes: Buffer.from(`${method} ${path} HTTP/1.1\r\n${GREETING}${headers}\r\n`),
});

const formTo = (url: URL, path: string, form: Buffer, token?: string) => {
  const bearer = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
  const head = `POST ${path} HTTP/1.1\r\n${GREETING}${bearer}Content-Type: ${FORM_TYPE}\r\nContent-Length: ${form.length}\r\n\r\n`;
  return { url, bytes: Buffer.concat([Buffer.from(head), form]) };
};

/** Starts the site; the variant is rendered and the file uploaded when it resolves. `store`: for media, a folder unless given. */
export async function startAbortSite(store?: MediaStore): Promise<AbortSite> {
  const text = Buffer.alloc(FILE_BYTES, 'body { color: red }\n');
  const origin = await listenForOriginals(text);
  const originUrl = `http://127.0.0.1:${(origin.address() as AddressInfo).port}`;
  const remote = { enabled: true, allow: [originUrl], allowPrivateAddresses: true };
  const workspace = createWorkspace(
    { '1.0/library/files': SPEC },
    { images: { directory: { enabled: true }, remote } },
  );
  const write = (name: string, content: string | Buffer) => writeFileSync(join(workspace.cwd, name), content);
  for (const folder of ['images', 'workspace/recipes'])
    mkdirSync(join(workspace.cwd, folder), { recursive: true });
  write('images/a.css', text);
  write('images/noise.png', await noise(500, 500, (image) => image.png()));
  write('workspace/recipes/thumb.json', JSON.stringify({ recipe: 'thumb', settings: { format: 'png' } }));
  const steps = createSteps();
  const media = join(workspace.path, 'media');
  const disk = () =>
    openDiskMedia({ path: media, prefix: '', log: { error: () => undefined }, now: Date.now });
  const app = await startApp({ workspace, mediaStore: inSteps(store ?? disk(), steps.pass) });
  const content = new URL(await app.listen());
  const delivery = new URL((await app.app.listenDelivery()).url);
  const token = await app.adminToken();
  const file = { fileName: 'big.bin', mimetype: 'application/octet-stream' };
  const form = filesForm([{ ...file, content: text }]);
  const uploaded = await upload(app, '/1.0/library/files', { ...file, content: text }, { token });
  const { _id: id, path } = uploaded.body.results[0];
  // The first one renders.
  const deliveryServer = await app.app.deliveryServer();
  await deliveryServer.inject('/thumb/noise.png');

  const get = (url: URL, target: string, headers?: string, method?: string) => async () =>
    requestTo(url, target, method, headers);
  const servers = [app.app.server.server, deliveryServer.server];
  const signed = async () => formTo(content, await sign(app, '/1.0/library/files/sign', file), form);
  const requests: AbortSite['requests'] = {
    'a download by id': get(content, `/1.0/library/files/${id}/file`),
    'a download by path': get(content, `/${path}`),
    'a part of a download': get(content, `/${path}`, 'Range: bytes=5-390000\r\n'),
    'the head of a download': get(content, `/${path}`, '', 'HEAD'),
    'a delivered file of a folder': get(delivery, '/a.css'),
    'a part of a delivered file': get(delivery, '/a.css', 'Range: bytes=5-390000\r\n'),
    'a compressed file': get(delivery, '/a.css', 'Accept-Encoding: gzip\r\n'),
    'a delivered file of the media store': get(delivery, `/${path}`),
    'a file of another server': get(delivery, `/thumb/${originUrl}/a.pdf`),
    'a variant of the cache': get(delivery, '/thumb/noise.png'),
    'an upload': async () => formTo(content, '/1.0/library/files', form, token),
    'a signed upload': signed,
  };
  const send = async (url: URL, bytes: Buffer) => {
    const socket = connect(Number(url.port), url.hostname).on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(bytes);
    await nextTurn();
    return socket;
  };
  const start = async (name: string) => {
    const { url, bytes } = await (requests[name] as NonNullable<(typeof requests)[string]>)();
    return send(url, bytes);
  };
  return {
    steps,
    content,
    delivery,
    requests,
    send,
    start,
    async hangUp(name, count) {
      const whole = async () => hangUpAfter(Number.POSITIVE_INFINITY, (await start(name)).resume());
      const most = Math.max(...(await Promise.all(Array.from({ length: AT_ONCE }, whole))));
      let [begun, cut] = [0, 0];
      const work = async () => {
        while (begun < count) {
          begun += 1;
          const turns = Math.floor(most ** (begun / count));
          if ((await hangUpAfter(turns, (await start(name)).resume())) === turns) cut += 1;
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      return cut;
    },
    async held() {
      const counts = await Promise.all([...servers, origin].map(connectionsOf));
      return {
        files: openBelow([media, join(workspace.cwd, 'images'), join(workspace.cwd, '.cache')]),
        staged: filesBelow(join(media, '.uploads')).length,
        sockets: counts.reduce((sum, count) => sum + count, 0),
      };
    },
    async close() {
      await app.close();
      origin.closeAllConnections();
      origin.close();
      workspace.remove();
    },
  };
}
