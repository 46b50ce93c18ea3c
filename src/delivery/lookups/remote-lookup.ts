// Lookups at a service, each address asked about once for a while: found facts are kept for an hour, failures for seconds.
import { LRUCache } from 'lru-cache';
import { waitUnlessAborted } from '../../lib/async/timeout.ts';
import { wholeText } from '../../lib/chunked-text.ts';
import { createLogThrottle } from '../../lib/logger.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import type { CacheStore } from '../../stores/ports.ts';
import { type Lookup, type LookupLog, normalizePublicAddress, valueAtPath } from './lookup.ts';

/** Milliseconds for which a fact is kept in the cache, and for which it is not even asked for there. */
const CACHE_TTL = 3_600_000;
const MEMORY_TTL = 300_000;
const MAX_REMEMBERED = 10_000;

/** Requests to one service at the same time. With more, an address counts as unknown rather than waiting. */
const MAX_REQUESTS = 64;

const LOG_EVERY_MS = 60_000;

const MAX_ANSWER_BYTES = 65_536;
const MAX_VALUE_LENGTH = 100;

const PLACEHOLDER = /\{(ip|key|secret)\}/g;

interface RemoteService {
  /** `{ip}`, `{key}` and `{secret}` are filled in, encoded, wherever they stand. */
  readonly url: string;
  readonly key?: string | undefined;
  readonly secret?: string | undefined;
  /** Where in the answer the fact stands, dotted. */
  readonly path: string;
}

/** An error of a look-up service. Its message has no URL, because URLs contain keys. */
class LookupFailure extends Error {
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
 * Asks a service for a fact about an address: one GET, one JSON answer. Gives the fact, trimmed. Rejects with a LookupFailure when the answer does not hold it, else with what failed underneath,
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

interface RemoteSettings extends RemoteService {
  /** Seconds for the whole answer. */
  readonly timeout: number;
  /** Seconds for which a failed lookup is not tried again. */
  readonly failureTtl: number;
}

interface RemoteLookupDeps {
  /** What is looked up, in one word: part of keys and log lines. */
  readonly subject: string;
  readonly settings: RemoteSettings;
  /** Shared by processes or kept over restarts, as the operator chose; keys begin with `lookup:`. */
  readonly cache: CacheStore;
  readonly log: LookupLog;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

interface Known {
  readonly value: string | undefined;
  readonly until: number;
}

/** What may be said of a failure: messages of others could hold the URL, with the keys in it. */
function reasonOf(error: unknown): string {
  if (error instanceof LookupFailure) return error.message;
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return 'it took too long';
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name;
}

/** A cache that is away costs a request, not the fact. */
async function cached(cache: CacheStore, key: string): Promise<string | undefined> {
  try {
    const text = await cache.get(key);
    return text === undefined ? undefined : wholeText(text);
  } catch {
    return undefined;
  }
}

/** Makes the lookup of one service. */
export function createRemoteLookup({ subject, settings, cache, log, now }: RemoteLookupDeps): Lookup {
  const { timeout, failureTtl, url, path } = settings;
  const remembered = new LRUCache<string, Known>({ max: MAX_REMEMBERED });
  const inFlight = new Map<string, Promise<string | undefined>>();
  const mayLog = createLogThrottle({ everyMs: LOG_EVERY_MS, now });
  const template = sha256Hex(`${url}\n${path}`);
  const remember = (ip: string, value: string | undefined, ms: number) =>
    remembered.set(ip, { value, until: now() + ms });

  const warn = (reason: string) => {
    const line = mayLog(subject);
    if (line !== undefined) log.warn({ ...line, reason }, `${subject} lookup failed`);
  };

  const find = async (ip: string, signal: AbortSignal): Promise<string> => {
    const key = `lookup:${subject}:${sha256Hex(`${template} ${ip}`)}`;
    const kept = await cached(cache, key);
    if (kept !== undefined) return kept;
    const value = await fetchFromService(settings, ip, signal);
    // Nobody waits for it, and an answer that is not kept is asked for again.
    cache.set(key, value, CACHE_TTL).catch(() => undefined);
    return value;
  };

  const lookUp = async (ip: string): Promise<string | undefined> => {
    const signal = AbortSignal.timeout(timeout * 1000);
    try {
      const value = await waitUnlessAborted(find(ip, signal), signal, () => signal.reason);
      remember(ip, value, MEMORY_TTL);
      return value;
    } catch (error) {
      warn(reasonOf(error));
      remember(ip, undefined, failureTtl * 1000);
      return undefined;
    }
  };

  const begin = (ip: string): Promise<string | undefined> => {
    const running = inFlight.get(ip);
    if (running !== undefined) return running;
    if (inFlight.size >= MAX_REQUESTS) {
      warn('too many requests at the same time');
      return Promise.resolve(undefined);
    }
    const started = lookUp(ip).finally(() => inFlight.delete(ip));
    inFlight.set(ip, started);
    return started;
  };

  return async (address, onFailure) => {
    const ip = normalizePublicAddress(address);
    if (ip === undefined) return undefined;
    const known = remembered.get(ip);
    const remaining = known === undefined ? 0 : known.until - now();
    const isKnown = known !== undefined && remaining > 0;
    const value = isKnown ? known.value : await begin(ip);
    if (value === undefined) onFailure?.(isKnown ? remaining / 1000 : failureTtl);
    return value;
  };
}
