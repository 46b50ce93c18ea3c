// Access tokens: signed, short-lived, and only as good as the client behind them is at the moment of use.
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { StoreError } from '../errors.ts';
import { invalidTokenError } from './auth-errors.ts';
import type { Client } from './clients/client.ts';
import type { ClientCache } from './clients/client-cache.ts';
import type { ClientStatus } from './clients/client-record.ts';

const ALGORITHM = 'HS256';
/** Keeps tokens that the same secret signs for other uses from passing as access tokens. */
const AUDIENCE = 'cloister:access';
const LENGTH_MOST = 4096;
const REMEMBERED_MOST = 10_000;

interface AccessTokensOptions {
  /** The signing secret, any text; undefined for as long as it cannot be read. */
  readonly secret: () => string | undefined;
  /** Lifetime in seconds. */
  readonly ttl: number;
  readonly clientCache: ClientCache;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The answer of `/token`. `expiresIn` is in seconds. */
export interface TokenResponse {
  readonly accessToken: string;
  readonly tokenType: 'Bearer';
  readonly expiresIn: number;
}

interface Claims {
  readonly clientId: string;
  readonly stamp: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

export type AccessTokens = ReturnType<typeof createAccessTokens>;

export function createAccessTokens({ secret, ttl, clientCache: standings, now }: AccessTokensOptions) {
  let known: KeyObject | undefined;
  const remembered = new LRUCache<string, Claims>({ max: REMEMBERED_MOST });

  // Without it no token can be told from another: none is refused for good.
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
    const standing = claims && standings.peek(claims.clientId);
    return standing !== undefined && standing.stamp === claims?.stamp ? standing.client : undefined;
  };

  const check = (token: string): Claims => {
    const signedBy = key();
    if (token.length > LENGTH_MOST) throw invalidTokenError();
    try {
      return readClaims(
        jwt.verify(token, signedBy, {
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
    issue({ client, stamp }: ClientStatus): TokenResponse {
      const accessToken = jwt.sign({ stamp, iat: Math.floor(now() / 1000) }, key(), {
        algorithm: ALGORITHM,
        audience: AUDIENCE,
        subject: client.clientId,
        expiresIn: ttl,
        jwtid: randomBytes(9).toString('base64url'),
      });
      return { accessToken, tokenType: 'Bearer', expiresIn: ttl };
    },

    /** The client of a token that was verified before and needs nothing asked anew; undefined: call `verify`. */
    peek,

    /**
     * The client whose token this is. Rejects with INVALID_TOKEN; with the store's StoreError when the token is well
     * signed, but its client cannot be looked up, or when nobody knows yet what well signed is.
     */
    async verify(token: string): Promise<Client> {
      const claims = recall(token) ?? check(token);
      const standing = await standings.get(claims.clientId);
      if (standing === undefined || standing.stamp !== claims.stamp) {
        remembered.delete(token);
        throw invalidTokenError();
      }
      remembered.set(token, claims);
      return standing.client;
    },
  };
}

function readClaims(payload: unknown): Claims {
  const { sub, stamp, exp } = payload as Readonly<Record<string, unknown>>;
  if (typeof sub !== 'string' || typeof stamp !== 'string' || typeof exp !== 'number')
    throw invalidTokenError();
  return { clientId: sub, stamp, expiresAt: exp * 1000 };
}
