// Requests to the server that this page came from: JSON, text, bytes and uploads, with the token of the session.
import { ApiError, parseErrorItems } from './api-error.ts';

/** Milliseconds after which a request that nobody answers is given up. */
const MAX_WAIT_MS = 90_000;

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

interface RequestOptions {
  readonly query?: Query;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

interface UploadOptions {
  readonly signal?: AbortSignal;
  /** Told how much has been sent, from 0 to 1. */
  readonly onProgress?: (part: number) => void;
}

/** What the API needs of the session. */
export interface TokenSource {
  token(): string | undefined;
  /** The server no longer takes the token. */
  expire(token: string): void;
}

/** A body with its ETag, where it has one. */
export interface Tagged<T> {
  readonly body: T;
  readonly etag: string | undefined;
}

/** The header that makes a write depend on the state that was read. */
export const ifMatch = (etag: string | undefined): Readonly<Record<string, string>> =>
  etag === undefined ? {} : { 'if-match': etag };

export interface Api {
  /** The body of the answer, parsed. Rejects with an ApiError, or an AbortError when `signal` ends the request. */
  get<T>(path: string, options?: RequestOptions): Promise<T>;
  /** The same, with what tells this state from others: sent back as `If-Match`, it guards a write. */
  getTagged<T>(path: string, options?: RequestOptions): Promise<Tagged<T>>;
  /** Sends JSON; text is sent as `text/plain`. Resolves with the body of the answer, undefined where there is none. */
  send<T>(method: Exclude<Method, 'GET'>, path: string, body?: unknown, options?: RequestOptions): Promise<T>;
  /** The same, with the status: one change may be in force, or wait. */
  sendForStatus<T>(
    method: Exclude<Method, 'GET'>,
    path: string,
    body?: unknown,
    options?: RequestOptions,
  ): Promise<{ readonly status: number; readonly body: T }>;
  text(path: string, options?: RequestOptions): Promise<string>;
  taggedText(path: string, options?: RequestOptions): Promise<Tagged<string>>;
  blob(path: string, options?: RequestOptions): Promise<Blob>;
  /** The whole answer of any status, for views that show answers. Rejects only without one. */
  raw(path: string, init: RequestInit): Promise<Response>;
  upload<T>(path: string, form: FormData, options?: UploadOptions): Promise<T>;
}

/** An address with a query string; undefined members are left out. */
function withQuery(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`;
}

/** A path from segments that may hold any character. */
export const pathOf = (...segments: readonly string[]): string =>
  `/${segments.map(encodeURIComponent).join('/')}`;

function parseBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** True where the challenge says that the token is at fault, not what it was used for. */
const isTokenRefused = (status: number, challenge: string | null) =>
  status === 401 && /error="(?:invalid_token|no_token)"/.test(challenge ?? '');

function errorOf(status: number, header: (name: string) => string | null, body: unknown): ApiError {
  const retryAfter = Number(header('retry-after') ?? Number.NaN);
  return new ApiError(status, parseErrorItems(body), {
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
    requestId: header('x-request-id') ?? undefined,
    body,
  });
}

async function ask(path: string, init: RequestInit): Promise<Response> {
  const signals = [AbortSignal.timeout(MAX_WAIT_MS), ...(init.signal ? [init.signal] : [])];
  try {
    return await fetch(path, { ...init, signal: AbortSignal.any(signals), credentials: 'omit' });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, []);
  }
}

/** The body of a request, with its type. */
function contentOf(body: unknown): RequestInit {
  if (body === undefined) return {};
  if (typeof body === 'string') return { body, headers: { 'content-type': 'text/plain' } };
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

/** Makes the API of one session. */
export function createApi(session: TokenSource): Api {
  const raw = async (path: string, init: RequestInit): Promise<Response> => {
    const token = session.token();
    const headers = new Headers(init.headers);
    if (token !== undefined && !headers.has('authorization')) headers.set('authorization', `Bearer ${token}`);
    const answer = await ask(path, { ...init, headers });
    const isOurs = token !== undefined && headers.get('authorization') === `Bearer ${token}`;
    if (isOurs && isTokenRefused(answer.status, answer.headers.get('www-authenticate')))
      session.expire(token);
    return answer;
  };
  const checked = async (method: Method, path: string, init: RequestInit, options: RequestOptions) => {
    const headers = { ...(init.headers as Record<string, string> | undefined), ...options.headers };
    const signal = options.signal ? { signal: options.signal } : {};
    const answer = await raw(withQuery(path, options.query), { ...init, method, headers, ...signal });
    if (answer.ok) return answer;
    throw errorOf(answer.status, (name) => answer.headers.get(name), parseBody(await answer.text()));
  };
  const sendForStatus = async <T>(
    method: Method,
    path: string,
    body?: unknown,
    options: RequestOptions = {},
  ) => {
    const answer = await checked(method, path, contentOf(body), options);
    return { status: answer.status, body: parseBody(await answer.text()) as T };
  };
  const taggedText = async (path: string, options: RequestOptions = {}) => {
    const answer = await checked('GET', path, {}, options);
    return { body: await answer.text(), etag: answer.headers.get('etag') ?? undefined };
  };
  const getTagged = async <T>(path: string, options: RequestOptions = {}) => {
    const { body, etag } = await taggedText(path, options);
    return { body: parseBody(body) as T, etag };
  };
  return {
    raw,
    sendForStatus,
    getTagged,
    taggedText,
    get: async <T>(path: string, options: RequestOptions = {}) => (await getTagged<T>(path, options)).body,
    send: async <T>(method: Method, path: string, body?: unknown, options: RequestOptions = {}) =>
      (await sendForStatus<T>(method, path, body, options)).body,
    text: async (path, options) => (await taggedText(path, options)).body,
    blob: async (path, options = {}) => (await checked('GET', path, {}, options)).blob(),
    upload: <T>(path: string, form: FormData, options: UploadOptions = {}) =>
      uploadForm<T>(path, form, { ...options, session }),
  };
}

/** `fetch` tells nothing of what has been sent, so uploads are made the older way. */
function uploadForm<T>(
  path: string,
  form: FormData,
  { signal, onProgress, session }: UploadOptions & { readonly session: TokenSource },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const token = session.token();
    request.open('POST', path);
    if (token !== undefined) request.setRequestHeader('authorization', `Bearer ${token}`);
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(total === 0 ? 0 : loaded / total);
    request.onerror = () => reject(new ApiError(0, []));
    request.onabort = () => reject(new DOMException('The upload was stopped', 'AbortError'));
    request.onload = () => {
      const header = (name: string) => request.getResponseHeader(name);
      const body = parseBody(request.responseText);
      if (request.status < 300) return resolve(body as T);
      if (token !== undefined && isTokenRefused(request.status, header('www-authenticate')))
        session.expire(token);
      return reject(errorOf(request.status, header, body));
    };
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}
