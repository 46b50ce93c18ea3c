// What is not HTTP enough to become a request: answered on the bare socket, in the one envelope, then closed.
import type { Socket } from 'node:net';

interface Refusal {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
}

const BROKEN: Refusal = { status: 400, reason: 'Bad Request', message: 'The request is not valid HTTP' };
const REFUSALS: ReadonlyMap<string | undefined, Refusal> = new Map([
  ['HPE_INVALID_METHOD', { status: 405, reason: 'Method Not Allowed', message: 'This method is not known' }],
  [
    'HPE_HEADER_OVERFLOW',
    { status: 431, reason: 'Request Header Fields Too Large', message: 'The header fields are too large' },
  ],
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    { status: 408, reason: 'Request Timeout', message: 'The request took too long to arrive' },
  ],
]);

/** The raw answer to a request that Node could not parse; `code` is that of Node's error. */
export function brokenRequestAnswer(code: string | undefined): string {
  const { status, reason, message } = REFUSALS.get(code) ?? BROKEN;
  const body = JSON.stringify({ statusCode: status, success: false, errors: [{ message }] });
  const lines = [
    `HTTP/1.1 ${status} ${reason}`,
    'Content-Type: application/json',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(status === 405 ? ['Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'] : []),
    'Connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Listener for the server's `clientError`. */
export function answerBrokenRequest(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) socket.end(brokenRequestAnswer(error.code));
  else socket.destroy();
}
