// Clients of servers that really listen: JSON over HTTP, and bytes on a socket that no HTTP client would send.

import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { ADMIN } from './server-process.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // Tests look into bodies of every shape.
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it finds
  readonly body: any;
}

export interface Client {
  readonly token: string;
  request(method: string, path: string, body?: unknown): Promise<Answer>;
}

/** Gets a token and keeps it. Rejects when the server refuses the credentials or the connection breaks. */
export async function connectClient(url: string, credentials = ADMIN): Promise<Client> {
  const login = await fetch(`${url}/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  });
  const { accessToken } = (await login.json()) as { accessToken?: string };
  if (accessToken === undefined) throw new Error(`no token: ${login.status}`);
  return {
    token: accessToken,
    async request(method, path, body) {
      const answer = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${accessToken}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return {
        status: answer.status,
        headers: answer.headers,
        body: text === '' ? undefined : JSON.parse(text),
      };
    },
  };
}

/** Sends `text` and resolves with everything received until the server closes. */
export function sendRaw(url: string, text: string): Promise<string> {
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

/** The status of the answer to a POST of which only the head is sent. */
export const statusBeforeBody = (url: string, headers: OutgoingHttpHeaders): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
      sent.destroy();
    });
    sent.on('error', reject);
    sent.flushHeaders();
  });
