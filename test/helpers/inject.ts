// Requests to an application of the test's own process, without a socket.
import type { createApp } from '../../src/app.ts';
import type { Answer } from './client.ts';

interface Sending {
  /** A bearer token; nothing is sent without one. */
  readonly token?: string | null | undefined;
  /** Sent as JSON; text is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface InjectAnswer extends Omit<Answer, 'headers'> {
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly text: string;
}

/** The JSON of a text; undefined when it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends one request. `body` of the answer is parsed JSON, or undefined when it is none. */
export async function injectInto(
  { server }: Pick<Awaited<ReturnType<typeof createApp>>, 'server'>,
  { method, path }: { readonly method: string; readonly path: string },
  { token, body, headers }: Sending,
): Promise<InjectAnswer> {
  const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await server.inject({
    method: method as 'GET',
    url: path,
    headers: {
      ...(typeof token === 'string' ? { authorization: `Bearer ${token}` } : {}),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload === undefined ? {} : { payload }),
  });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text: answer.body,
    body: parsed(answer.body),
  } as InjectAnswer;
}
