// The whole application on a real socket, with what tests of endpoints do again and again.
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { Answer } from '../server-process/client.ts';
import { parsed, startApp, type TestApp } from './app.ts';

interface CallOptions {
  /** A bearer token; null sends none. The admin's unless given. */
  readonly token?: string | null;
  /** Sent as JSON unless it is text or bytes. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TextAnswer extends Answer {
  readonly text: string;
}

export interface EndpointServer extends TestApp {
  readonly url: string;
  call(method: string, path: string, options?: CallOptions): Promise<TextAnswer>;
  get(path: string, options?: CallOptions): Promise<TextAnswer>;
  /** Posts code to `/1.0/{name}/config`; the answer is not judged. */
  post(name: string, source: string): Promise<TextAnswer>;
  /** Posts code, and puts its policy, both of which have to be accepted. Resolves with the path. */
  endpoint(name: string, source: string, policy?: JsonObject): Promise<string>;
  putPolicy(name: string, policy: JsonObject): Promise<TextAnswer>;
  /** The newest records of the log of `/1.0/{name}`. */
  logs(name: string, query?: string): Promise<readonly LogRecord[]>;
}

interface LogRecord {
  readonly at: number;
  readonly level: string;
  readonly message: string;
  readonly version: number;
  readonly requestId: string;
  readonly stack?: string;
  readonly seq: number;
}

function payloadOf({ body }: CallOptions): {
  readonly body?: string | Uint8Array<ArrayBuffer>;
  json: boolean;
} {
  if (body === undefined) return { json: false };
  if (typeof body === 'string') return { body, json: true };
  if (body instanceof Uint8Array) return { body: new Uint8Array(body), json: false };
  return { body: JSON.stringify(body), json: true };
}

/** Starts like `startApp`, and listens. */
export async function startEndpointServer(
  options: Parameters<typeof startApp>[0] = {},
): Promise<EndpointServer> {
  const app = await startApp(options);
  const url = await app.listen();

  const call: EndpointServer['call'] = async (method, path, given = {}) => {
    const token = given.token === undefined ? await app.adminToken() : given.token;
    const { body, json } = payloadOf(given);
    const answer = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(json ? { 'content-type': 'application/json' } : {}),
        ...given.headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: parsed(text) };
  };
  const post: EndpointServer['post'] = (name, body) =>
    call('POST', `/1.0/${name}/config`, { body, headers: { 'content-type': 'text/plain' } });
  const putPolicy: EndpointServer['putPolicy'] = (name, body) => call('PUT', `/1.0/${name}/policy`, { body });

  return {
    ...app,
    url,
    call,
    get: (path, given) => call('GET', path, given),
    post,
    putPolicy,
    async endpoint(name, source, policy) {
      const posted = await post(name, source);
      if (posted.status !== 200) throw new Error(`${name} was refused: ${posted.text}`);
      if (policy === undefined) return `/1.0/${name}`;
      const put = await putPolicy(name, policy);
      if (put.status !== 200) throw new Error(`the policy of ${name} was refused: ${put.text}`);
      return `/1.0/${name}`;
    },
    logs: async (name, query = '') => (await call('GET', `/1.0/${name}/logs${query}`)).body.logs,
  };
}
