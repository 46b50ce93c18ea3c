// Asks a service for a fact about an address: one GET, one JSON answer, no more than it may take.
import { valueAtPath } from './lookup.ts';

const MAX_ANSWER_BYTES = 65_536;
const MAX_VALUE_LENGTH = 100;

const PLACEHOLDER = /\{(ip|key|secret)\}/g;

export interface RemoteService {
  /** `{ip}`, `{key}` and `{secret}` are filled in, encoded, wherever they stand. */
  readonly url: string;
  readonly key?: string | undefined;
  readonly secret?: string | undefined;
  /** Where in the answer the fact stands, dotted. */
  readonly path: string;
}

/** An error of a look-up service. Its message has no URL, because URLs contain keys. */
export class LookupFailure extends Error {
  override name = 'LookupFailure';
}

/** The address to ask, and the credentials in it, which `fetch` takes in a header only. */
function requestOf({ url, key = '', secret = '' }: RemoteService, ip: string) {
  const values = { ip, key, secret };
  const filled = url.replace(PLACEHOLDER, (_, name: keyof typeof values) => encodeURIComponent(values[name]));
  const target = new URL(filled);
  const { username, password } = target;
  target.username = '';
  target.password = '';
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  const authorization =
    username === '' && password === '' ? undefined : `Basic ${credentials.toString('base64')}`;
  return { target, authorization };
}

/** The body as text, decompressed. A longer one is not read to its end. */
async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES)
      throw new LookupFailure(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new LookupFailure('the answer is not JSON');
  }
}

/**
 * Gives the fact, trimmed. Rejects with a LookupFailure when the answer does not hold it, else with what failed underneath,
 * with the reason of `signal` when that ends it. Follows no redirect: only the operator says who is asked.
 */
export async function fetchFromService(
  service: RemoteService,
  ip: string,
  signal: AbortSignal,
): Promise<string> {
  const { target, authorization } = requestOf(service, ip);
  const headers = { accept: 'application/json', ...(authorization === undefined ? {} : { authorization }) };
  const response = await fetch(target, { headers, signal, redirect: 'manual' });
  if (!response.ok) {
    await response.body?.cancel();
    throw new LookupFailure(`the service answered with status ${response.status}`);
  }
  const value = valueAtPath(parse(await readBody(response)), service.path);
  if (typeof value !== 'string') throw new LookupFailure(`the answer has no text at ${service.path}`);
  const text = value.trim();
  if (text === '' || text.length > MAX_VALUE_LENGTH) {
    throw new LookupFailure(
      `the text at ${service.path} is empty or longer than ${MAX_VALUE_LENGTH} characters`,
    );
  }
  return text;
}
