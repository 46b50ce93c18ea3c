// A request whose path is sent byte by byte as it is written: clients and URL parsers would tidy it first.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Sends one GET to a port of this machine. `text`: the whole answer, headers included. */
export async function rawRequest(
  port: number,
  path: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  const answer = await text(socket);
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]), text: answer };
}
