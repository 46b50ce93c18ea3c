// Clients that ask and do not read: whatever the answer is, they are cut off, and hold little memory until then.
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, type ExpectStatic, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { startEndpointApp } from '../http/modules/endpoint-app.ts';
import { closed } from '../http/transport/socket-server.ts';
import { liveEndpoint, okResponse } from '../modules/module-versions.ts';

const PLAIN: JsonObject = {
  fields: { text: { type: 'String' }, must: { type: 'String', required: true } },
  settings: { cache: true, count: 100 },
};
const PATH = '/1.0/library/plain';
const MB = 1_000_000;
/** The system takes about ten for a client that does not read. */
const ENOUGH_MB = 20;
const limits = { sendSeconds: 1 };

let app: TestApp;
let token: string;

beforeAll(async () => {
  app = await startApp({ specs: { '1.0/library/plain': PLAIN }, config: { cache: true, limits } });
  await app.listen();
  token = await app.adminToken();
  const body = Array.from({ length: 5 }, () => ({ must: 'x', text: 'x'.repeat(MB) }));
  await app.inject('POST', PATH, { body });
  const comments = 'x'.repeat(4000);
  const fields = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`f${n}`, { comments }]));
  const posted = await app.inject('POST', '/1.0/library/large/config', { body: { fields, settings: {} } });
  expect(posted.status).toBe(200);
});

afterAll(() => app.close());

/** Sends a request so many times at once and reads nothing. Resolves with the server's end of the connection. */
async function pin(server: Server, request: string, times: number): Promise<Socket> {
  const { port } = server.address() as AddressInfo;
  const accepted: Socket[] = [];
  const accept = (socket: Socket) => void accepted.push(socket);
  server.on('connection', accept);
  const client = connect(port, '127.0.0.1').on('error', () => undefined);
  client.pause();
  await once(client, 'connect');
  const isOther = (socket: Socket) => socket.remotePort !== client.localPort;
  while (accepted.every(isOther)) await once(server, 'connection');
  server.off('connection', accept);
  const socket = accepted.find((candidate) => !isOther(candidate)) as Socket;
  client.write(request.repeat(times));
  socket.once('close', () => client.destroy());
  return socket;
}

interface Pinned {
  readonly request: string;
  readonly times: number;
  /** That of the test: side by side with others it is not the shared one that knows which test it belongs to. */
  readonly expect: ExpectStatic;
}

async function expectCutOff(server: Server, { request, times, expect: expects }: Pinned): Promise<void> {
  const socket = await pin(server, request, times);
  const end = closed(socket);
  await expects.poll(() => socket.writableLength).toBeGreaterThan(0);
  expects(socket.writableLength).toBeLessThan(2 * MB);
  await end;
}

/** As many problems as one answer lists. */
const unknown = JSON.stringify(Array.from({ length: 100 }, () => ({ ['x'.repeat(1000)]: 1 })));

interface Case {
  readonly megabytes: number;
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
}

const CASES: Readonly<Record<string, Case>> = {
  'a page': { path: `${PATH}?cache=false`, megabytes: 5 },
  'a page of the cache': { path: PATH, megabytes: 5 },
  'a page as a call': { path: `${PATH}?callback=f`, megabytes: 5 },
  'a document': { path: `${PATH}?count=1`, megabytes: 1 },
  'a specification': { path: '/1.0/library/large/config', megabytes: 1 },
  'a list of errors': { method: 'POST', path: PATH, body: unknown, megabytes: 0.1 },
};

it.concurrent.for(Object.entries(CASES))(
  '%s',
  async ([_name, { method = 'GET', path, body = '', megabytes }], { expect: own }) => {
    const head = `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n`;
    const type = body === '' ? '' : 'Content-Type: application/json\r\n';
    const request = `${head}${type}Content-Length: ${body.length}\r\n\r\n${body}`;
    await expectCutOff(app.app.server.server, { request, times: ENOUGH_MB / megabytes, expect: own });
  },
);

it('a client that does not read the answer of an endpoint is cut off', async () => {
  const { server } = startEndpointApp({
    endpoints: [liveEndpoint('report')],
    run: () => okResponse('x'.repeat(8 * MB)),
    config: { 'limits.sendSeconds': 1 },
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const request = 'GET /1.0/report HTTP/1.1\r\nHost: a\r\n\r\n';
  await expectCutOff(server.server, { request, times: 3, expect });
  await server.close();
});
