// Bytes on a socket, for requests that no HTTP client would send.
import { connect } from 'node:net';

/** Sends `text` and resolves with everything received until the server closes. */
export function exchange(url: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
}
