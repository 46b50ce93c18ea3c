// Two web servers of this machine: one that a grant covers and that does its worst, one that nobody may reach.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Origins {
  /** `host:port` of the one that a grant covers. */
  readonly allowed: string;
  readonly canary: string;
  /** Requests that the canary has seen. */
  reached(): number;
  close(): Promise<void>;
}

async function listen(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { address: `127.0.0.1:${port}`, close };
}

const redirect = (response: ServerResponse, location: string) =>
  response.writeHead(302, { location }).end('moved');

function echo(request: IncomingMessage, response: ServerResponse): void {
  const { rawHeaders } = request;
  const lines = rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\n`));
  response.end(`${request.method} ${request.url}\n${lines.join('')}`);
}

function endless(response: ServerResponse): void {
  const more = () => {
    while (response.write('x'.repeat(65_536)));
    response.once('drain', more);
  };
  more();
}

export async function startOrigins(): Promise<Origins> {
  let reached = 0;
  const canary = await listen((_request, response) => {
    reached += 1;
    response.end('canary');
  });
  const pages: Readonly<Record<string, RequestListener>> = {
    '/hello': (_request, response) => response.end('hello'),
    '/echo': echo,
    '/to-canary': (_request, response) => redirect(response, `http://${canary.address}/secret`),
    '/to-metadata': (_request, response) => redirect(response, 'http://169.254.169.254/latest/meta-data/'),
    '/to-file': (_request, response) => redirect(response, 'file:///etc/passwd'),
    '/to-script': (_request, response) => redirect(response, 'javascript:1'),
    '/for-ever': (_request, response) => redirect(response, '/for-ever'),
    '/endless': (_request, response) => endless(response),
    '/silent': () => undefined,
  };
  const allowed = await listen((request, response) => {
    const page = pages[request.url ?? ''];
    if (page === undefined) response.writeHead(404).end();
    else page(request, response);
  });
  return {
    allowed: allowed.address,
    canary: canary.address,
    reached: () => reached,
    async close() {
      await Promise.all([allowed.close(), canary.close()]);
    },
  };
}
