// Access tokens: signed, short-lived, and valid only as long as their client is; and the cache of the clients of tokens, of 3 s,
// cleared when this process writes a client.
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { StoreError } from '../errors/errors.ts';
import { lazyPackage } from '../lib/files/lazy-package.ts';
import type { Namespace } from '../stores/ports.ts';
import { invalidTokenError } from './auth-errors.ts';
import type { Client } from './clients/client.ts';
import type { ClientStatus } from './clients/client-record.ts';

const jwt = lazyPackage<typeof import('jsonwebtoken')>('jsonwebtoken');

const ALGORITHM = 'HS256';
/** Tokens that the same secret signs for other uses do not pass as access tokens. */
const AUDIENCE = 'cloister:access';
const MAX_TOKEN_LENGTH = 4096;
const MAX_CACHED_TOKENS = 10_000;

/** A change by another process is seen after this time at the latest. */
const CLIENT_TTL_MS = 3000;
const MAX_CACHED_CLIENTS = 10_000;

interface ClientCacheDeps {
  /** Reads the client anew; undefined when it is gone. */
  readonly load: (clientId: string) => Promise<ClientStatus | undefined>;
  readonly watch: (listener: (changed: readonly Namespace[]) => void) => () => void;
  /** The namespace whose changes matter. */
  readonly namespace: Namespace;
  readonly now: () => number;
}

interface CachedClient {
  readonly status: ClientStatus | undefined;
  readonly readAt: number;
}

export type ClientCache = ReturnType<typeof createClientCache>;

/** Makes the cache. */
export function createClientCache({ load: read, watch, namespace: source, now }: ClientCacheDeps) {
  const entries = new LRUCache<string, CachedClient>({ max: MAX_CACHED_CLIENTS });
  const pending = new Map<string, Promise<ClientStatus | undefined>>();
  let generation = 0;

  const unwatch = watch((changed) => {
    const concerns = ({ database, collection }: Namespace) =>
      database === source.database && collection === source.collection;
    if (changed.some(concerns)) clear();
  });

  const clear = () => {
    generation += 1;
    entries.clear();
    pending.clear();
  };

  const peek = (clientId: string): ClientStatus | undefined => {
    const entry = entries.get(clientId);
    return entry !== undefined && isFresh(entry, now()) ? entry.status : undefined;
  };

  const load = async (clientId: string): Promise<ClientStatus | undefined> => {
    const started = { generation, readAt: now() };
    const found = await read(clientId);
    // The same client stays the same object: what is worked out for it is remembered by that.
    const known = entries.get(clientId)?.status;
    const status = isDeepStrictEqual(known, found) ? known : found;
    if (started.generation === generation) entries.set(clientId, { status, readAt: started.readAt });
    return status;
  };

  return {
    /** The cached status; undefined if none is cached or fresh, or the client does not exist. */
    peek,

    /** Rejects as `read` does. */
    get(clientId: string): Promise<ClientStatus | undefined> {
      const entry = entries.get(clientId);
      if (entry !== undefined && isFresh(entry, now())) return Promise.resolve(entry.status);
      const running = pending.get(clientId);
      if (running !== undefined) return running;
      const loading = load(clientId).finally(() => {
        if (pending.get(clientId) === loading) pending.delete(clientId);
      });
      pending.set(clientId, loading);
      return loading;
    },

    /** Forgets all clients: another process has changed one. */
    clear,

    /** Stops watching the store. */
    close(): void {
      unwatch();
      entries.clear();
    },
  };
}

/** A clock that was set back makes an entry stale instead of eternal. */
function isFresh({ readAt }: CachedClient, at: number): boolean {
  return at >= readAt && at - readAt <= CLIENT_TTL_MS;
}

interface AccessTokensOptions {
  /** The signing secret; undefined until it is available. */
  readonly secret: () => string | undefined;
  /** Lifetime in seconds. */
  readonly ttl: number;
  readonly clientCache: ClientCache;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The response of `/token`. `expiresIn` is in seconds. */
export interface TokenResponse {
  readonly accessToken: string;
  readonly tokenType: 'Bearer';
  readonly expiresIn: number;
}

interface Claims {
  readonly clientId: string;
  readonly secretVersion: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

export type AccessTokens = ReturnType<typeof createAccessTokens>;

/** Makes the service that issues and verifies tokens. */
export function createAccessTokens({ secret, ttl, clientCache, now }: AccessTokensOptions) {
  let known: KeyObject | undefined;
  const remembered = new LRUCache<string, Claims>({ max: MAX_CACHED_TOKENS });

  // Without the secret no token can be verified, so none is rejected as invalid.
  const key = (): KeyObject => {
    const text = secret();
    if (text === undefined) throw new StoreError('unavailable');
    known ??= createSecretKey(text, 'utf8');
    return known;
  };

  const recall = (token: string): Claims | undefined => {
    const claims = remembered.get(token);
    return claims !== undefined && now() < claims.expiresAt ? claims : undefined;
  };

  const peek = (token: string): Client | undefined => {
    const claims = recall(token);
    const status = claims && clientCache.peek(claims.clientId);
    return status !== undefined && status.secretVersion === claims?.secretVersion ? status.client : undefined;
  };

  const check = (token: string): Claims => {
    const signedBy = key();
    if (token.length > MAX_TOKEN_LENGTH) throw invalidTokenError();
    try {
      return readClaims(
        jwt().verify(token, signedBy, {
          algorithms: [ALGORITHM],
          audience: AUDIENCE,
          clockTimestamp: Math.floor(now() / 1000),
        }),
      );
    } catch {
      throw invalidTokenError();
    }
  };

  return {
    /** Throws an `unavailable` StoreError while there is no secret to sign with. */
    issue({ client, secretVersion }: ClientStatus): TokenResponse {
      const accessToken = jwt().sign({ stamp: secretVersion, iat: Math.floor(now() / 1000) }, key(), {
        algorithm: ALGORITHM,
        audience: AUDIENCE,
        subject: client.clientId,
        expiresIn: ttl,
        jwtid: randomBytes(9).toString('base64url'),
      });
      return { accessToken, tokenType: 'Bearer', expiresIn: ttl };
    },

    /** The client of a token that is cached together with its client; undefined: call `verify`. */
    peek,

    /**
     * The client of the token. Rejects with INVALID_TOKEN; with the store's StoreError when the signature is valid but the
     * client cannot be looked up, or when the signing secret is not available yet.
     */
    async verify(token: string): Promise<Client> {
      const claims = recall(token) ?? check(token);
      const status = await clientCache.get(claims.clientId);
      if (status === undefined || status.secretVersion !== claims.secretVersion) {
        remembered.delete(token);
        throw invalidTokenError();
      }
      remembered.set(token, claims);
      return status.client;
    },
  };
}

function readClaims(payload: unknown): Claims {
  const { sub, stamp, exp } = payload as Readonly<Record<string, unknown>>;
  if (typeof sub !== 'string' || typeof stamp !== 'string' || typeof exp !== 'number')
    throw invalidTokenError();
  return { clientId: sub, secretVersion: stamp, expiresAt: exp * 1000 };
}
