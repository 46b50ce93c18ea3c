// Sends the request of somebody who tries an endpoint.
import type { Api } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';

export interface Call {
  readonly method: string;
  readonly path: string;
  /** One a line. */
  readonly headers: string;
  readonly body: string;
  readonly as: 'me' | 'token' | 'nobody';
  readonly token: string;
}

export interface CallAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** Of the whole body. */
  readonly bytes: number;
  readonly milliseconds: number;
  /** Names of headers that the browser does not send for a page. */
  readonly dropped: readonly string[];
  readonly isRedirect: boolean;
  /** `body` is only the beginning. */
  readonly isCut: boolean;
}

const MAX_SHOWN_CHARACTERS = 200_000;

const wrong = (message: string) => new ApiError(400, [{ message }]);

function readHeaders(text: string): Headers {
  const headers = new Headers();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const colon = line.indexOf(':');
    if (colon < 1) throw wrong(`Line ${index + 1} of the headers must be a name, a colon and a value.`);
    try {
      headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
    } catch {
      throw wrong(`Line ${index + 1} of the headers is not the name and value of a header.`);
    }
  }
  return headers;
}

function addressOf(path: string): string {
  const url = path.startsWith('/') ? URL.parse(path, location.origin) : null;
  if (url === null || url.origin !== location.origin)
    throw wrong('The path begins with / and is one of this server.');
  return url.pathname + url.search;
}

function ask(api: Api, address: string, init: RequestInit, as: Call['as']): Promise<Response> {
  if (as !== 'nobody') return api.raw(address, init);
  return fetch(address, { ...init, credentials: 'omit' }).catch(() => {
    throw new ApiError(0, []);
  });
}

/** Rejects with an ApiError where there is no answer, or nothing that can be sent. */
export async function callEndpoint(api: Api, call: Call): Promise<CallAnswer> {
  const { method, path, body, as, token } = call;
  const address = addressOf(path);
  const headers = readHeaders(call.headers);
  if (as === 'token') {
    try {
      headers.set('authorization', `Bearer ${token.trim()}`);
    } catch {
      throw wrong('The token has characters that no token has.');
    }
  }
  const hasBody = method !== 'GET' && method !== 'HEAD' && body !== '';
  if (hasBody && !headers.has('content-type')) headers.set('content-type', 'application/json');
  const init: RequestInit = {
    method,
    headers,
    redirect: 'manual',
    cache: 'no-store',
    ...(hasBody && { body }),
  };
  const sent = new Request(address, init).headers;
  const dropped = [...headers.keys()].filter((name) => !sent.has(name));
  const start = performance.now();
  const answer = await ask(api, address, init, as);
  const content = await answer.arrayBuffer();
  const milliseconds = performance.now() - start;
  const text = new TextDecoder().decode(content);
  return {
    status: answer.status,
    statusText: answer.statusText,
    headers: [...answer.headers],
    body: text.slice(0, MAX_SHOWN_CHARACTERS),
    bytes: content.byteLength,
    milliseconds,
    dropped,
    isRedirect: answer.type === 'opaqueredirect',
    isCut: text.length > MAX_SHOWN_CHARACTERS,
  };
}
