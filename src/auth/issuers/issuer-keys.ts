// The keys of an issuer: one of the configuration, or a set that the issuer publishes, fetched when it is needed: one GET, no
// redirects, limits of time and size.
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { AppError } from '../../errors/errors.ts';
import { createDestinationResolver, createNameResolver } from '../../lib/egress/destination.ts';
import {
  readResponseBody,
  rejectOnAbort,
  sendRequest,
  withFetchTimeout,
} from '../../lib/egress/http-request.ts';
import { lazyPackage } from '../../lib/files/lazy-package.ts';
import type { Log } from '../../lib/logger.ts';
import { readPublicKey } from '../../lib/public-key.ts';

const keySets = lazyPackage<typeof import('jose/jwks/local')>('jose/jwks/local');

/** What verifies tokens. A new object whenever the keys of the issuer have changed. */
export interface VerificationKeys {
  readonly algorithms: readonly string[];
  /** Finds the key that the header of a token names. */
  readonly find: JWTVerifyGetKey;
}

export interface IssuerKeys {
  /** What may be used now, without waiting; undefined otherwise. */
  peek(): VerificationKeys | undefined;
  /** The same, after a fetch if need be. Rejects with ISSUER_UNAVAILABLE. */
  get(): Promise<VerificationKeys>;
  /**
   * Called when `known` has no key for a token. Resolves with the keys after another fetch, or with `known` when it is too
   * early for one. Rejects with ISSUER_UNAVAILABLE when the last fetch failed: the key may exist.
   */
  refresh(known: VerificationKeys): Promise<VerificationKeys>;
}

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/** Keys older than this are fetched again, while they stay in use. */
const REFRESH_AFTER_MS = 300_000;
/** Tokens wait for that fetch if the keys are older than this: since when they are not the issuer's any more, nobody knows. */
const WAIT_AFTER_MS = 600_000;
/** For how long keys are used while their issuer does not answer. */
const MAX_KEYS_AGE_MS = 3_600_000;
/** Between two fetches because of a key that is not known. */
const UNKNOWN_KEY_MS = 30_000;
/** Between two fetches while there are no keys at all. */
const RETRY_MS = 5000;

/** The key of the configuration, which its validation has accepted. */
export function createConfiguredKey(pem: string): IssuerKeys {
  const found = readPublicKey(pem);
  if (found === undefined) throw new Error('auth.issuers: publicKey is not valid');
  const keys: VerificationKeys = { algorithms: found.algorithms, find: async () => found.key };
  return { peek: () => keys, get: async () => keys, refresh: async (known) => known };
}

/** For the whole fetch, the look-up of the name included. */
const MAX_FETCH_MS = 2000;
/** A key has about 500 bytes, with a certificate some 3,000. */
const MAX_KEY_SET_BYTES = 262_144;

const HEADERS = [
  ['accept', 'application/jwk-set+json, application/json'],
  ['user-agent', 'Cloister'],
] as const;

/** Every address is open: the operator names the host, and an issuer in a private network is an ordinary one. */
const resolveDestination = createDestinationResolver(createNameResolver(), () => true);

/** The answer of an issuer is not the one with its keys. */
class KeySetError extends Error {
  override name = 'KeySetError';
}

/**
 * Gives the text of the answer. Rejects with a KeySetError for any status but 200, a redirect included: only the operator says
 * whose keys are trusted; otherwise with what failed underneath. `aborted` ends the fetch.
 */
function fetchKeySet(url: URL, aborted: AbortSignal): Promise<string> {
  return withFetchTimeout({ timeoutMs: MAX_FETCH_MS, aborted }, async (signal) => {
    const addresses = await rejectOnAbort(resolveDestination(url), signal);
    const request = { url, method: 'GET', headers: HEADERS, body: undefined };
    const response = await sendRequest(request, { addresses, signal, headersMs: MAX_FETCH_MS });
    if (response.statusCode !== 200) {
      response.destroy();
      throw new KeySetError(`the answer has status ${response.statusCode}`);
    }
    return (await readResponseBody(response, MAX_KEY_SET_BYTES)).toString('utf8');
  });
}

/** Reads a key set (RFC 7517). Throws a KeySetError. */
function parseKeySet(text: string): VerificationKeys {
  try {
    return { algorithms: ALGORITHMS, find: keySets().createLocalJWKSet(JSON.parse(text) as JSONWebKeySet) };
  } catch {
    throw new KeySetError('the answer is not a set of keys');
  }
}

interface PublishedKeysOptions {
  /** Of the issuer, for the log. */
  readonly name: string;
  readonly url: URL;
  readonly log: Pick<Log, 'warn'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Ends a fetch that runs. */
  readonly closed: AbortSignal;
}

interface Fetched {
  readonly keys: VerificationKeys;
  readonly text: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The last fetch, whatever became of it. */
interface Attempt {
  readonly at: number;
  readonly failed: boolean;
}

/** Keys behind a URL. One fetch at a time, whoever waits for it. */
export class PublishedKeys implements IssuerKeys {
  readonly #options: PublishedKeysOptions;
  #fetched: Fetched | undefined;
  #last: Attempt | undefined;
  #running: Promise<void> | undefined;

  constructor(options: PublishedKeysOptions) {
    this.#options = options;
  }

  peek(): VerificationKeys | undefined {
    const age = this.#since(this.#fetched?.at);
    if (age > MAX_KEYS_AGE_MS) return undefined;
    if (age > REFRESH_AFTER_MS && this.#mayFetch(UNKNOWN_KEY_MS)) this.#fetch();
    if (age > WAIT_AFTER_MS && this.#running !== undefined) return undefined;
    return this.#fetched?.keys;
  }

  async get(): Promise<VerificationKeys> {
    const known = this.peek();
    if (known !== undefined) return known;
    await this.#fetchUnlessTried(RETRY_MS);
    return this.peek() ?? this.#throwUnavailable(RETRY_MS);
  }

  async refresh(known: VerificationKeys): Promise<VerificationKeys> {
    if (this.#fetched?.keys === known) await this.#fetchUnlessTried(UNKNOWN_KEY_MS);
    if (this.#last?.failed === true) this.#throwUnavailable(UNKNOWN_KEY_MS);
    return this.peek() ?? known;
  }

  /** Milliseconds; a clock that was set back makes everything long past. */
  #since(at: number | undefined): number {
    const elapsed = at === undefined ? -1 : this.#options.now() - at;
    return elapsed < 0 ? Number.POSITIVE_INFINITY : elapsed;
  }

  #mayFetch(intervalMs: number): boolean {
    return this.#running === undefined && this.#since(this.#last?.at) >= intervalMs;
  }

  async #fetchUnlessTried(intervalMs: number): Promise<void> {
    if (this.#mayFetch(intervalMs)) this.#fetch();
    await this.#running;
  }

  #throwUnavailable(intervalMs: number): never {
    const waitMs = Math.max(0, intervalMs - this.#since(this.#last?.at));
    throw new AppError('ISSUER_UNAVAILABLE', { retryAfter: Math.max(1, Math.ceil(waitMs / 1000)) });
  }

  /** Starts a fetch, which never rejects. */
  #fetch(): void {
    this.#running = this.#load().finally(() => {
      this.#running = undefined;
    });
  }

  async #load(): Promise<void> {
    const { name, url, log, now, closed } = this.#options;
    try {
      const text = await fetchKeySet(url, closed);
      const previous = this.#fetched;
      // The same answer leaves the object, and with it what it has verified.
      const keys = previous?.text === text ? previous.keys : parseKeySet(text);
      this.#fetched = { keys, text, at: now() };
      this.#last = { at: now(), failed: false };
    } catch (error) {
      this.#last = { at: now(), failed: true };
      if (!closed.aborted)
        log.warn({ issuer: name, err: error }, 'cannot fetch the keys of an issuer of tokens');
    }
  }
}
