// A proxy before an S3 server, which refuses requests or loses their answers.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { onTestFinished } from 'vitest';

/** `lose`: the server does what it is asked, and the connection ends before its answer. */
export type Fate = 'pass' | 'refuse' | 'lose';

/** Starts it until the test has finished. `fateOf` is asked about each request. Resolves with its address. */
export async function proxyTo(
  endpoint: string,
  fateOf: (request: Pick<IncomingMessage, 'method' | 'url'>) => Fate,
): Promise<string> {
  const { hostname, port } = new URL(endpoint);
  const proxy = createServer((incoming, outgoing) => {
    const fate = fateOf(incoming);
    if (fate === 'refuse') {
      incoming.resume();
      outgoing.writeHead(403).end();
      return;
    }
    const { method, url: path, headers } = incoming;
    // The host is part of the signature.
    const forwarded = request({ hostname, port, method, path, headers, setHost: false }, (answer) => {
      if (fate === 'lose') {
        answer.resume().once('end', () => incoming.socket.destroy());
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => incoming.socket.destroy());
    incoming.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  const address = proxy.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}
