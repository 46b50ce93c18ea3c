// Access tokens of other issuers: whose token it is, what verifies it, and which user it names. Never an admin.
import type { JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../errors/errors.ts';
import { lazyPackage } from '../../lib/files/lazy-package.ts';
import { isJsonObject } from '../../lib/json/json.ts';
import { createLogThrottle, type Log } from '../../lib/logger.ts';
import type { Client } from '../clients/client.ts';
import { createConfiguredKey, type IssuerKeys, PublishedKeys, type VerificationKeys } from './issuer-keys.ts';
import { ClaimError, type Issuer, readUser } from './issuer-user.ts';

const jwt = lazyPackage<typeof import('jose/jwt/verify')>('jose/jwt/verify');
const errors = lazyPackage<typeof import('jose/errors')>('jose/errors');

/** Longer than ours: an issuer may put hundreds of groups into a token. */
const MAX_TOKEN_LENGTH = 16_384;
const MAX_REMEMBERED_TOKENS = 10_000;
/** Of remembered tokens together, and as many of their users. */
const MAX_REMEMBERED_CHARACTERS = 16_777_216;
/** The clocks of two machines differ. */
const CLOCK_TOLERANCE_SECONDS = 30;
/** Between two lines in the log about the same reason. */
const LOG_EVERY_MS = 60_000;

export interface IssuerSettings extends Issuer {
  /** Where the issuer publishes its keys. Either this or `publicKey` is set. */
  readonly jwksUrl?: string | undefined;
  readonly publicKey?: string | undefined;
}

interface IssuerTokensOptions {
  readonly issuers: readonly IssuerSettings[];
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

interface KnownIssuer {
  readonly settings: IssuerSettings;
  readonly keys: IssuerKeys;
}

interface Remembered {
  readonly client: Client;
  readonly issuer: KnownIssuer;
  /** What verified the token: it is verified again once the keys are others. */
  readonly verifiedBy: VerificationKeys;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

export interface IssuerTokens {
  /** The user of a token that was verified before, by keys that still count; undefined: call `verify`. */
  peek(token: string): Client | undefined;
  /**
   * Null for a token that does not say that it is of one of the issuers; undefined for one that is not valid, and the log says
   * why. Rejects with ISSUER_UNAVAILABLE when the keys of its issuer cannot be fetched.
   */
  verify(token: string): Promise<Client | null | undefined>;
  /** Ends fetches that run. */
  close(): void;
}

/** Three parts in base64url without padding (RFC 7515): one token has one text. */
const COMPACT_FORM = /^[\w-]+\.([\w-]+)\.[\w-]+$/;

/** The `iss` of a token, as it claims. */
function claimedIssuer(token: string): unknown {
  if (token.length > MAX_TOKEN_LENGTH) return undefined;
  const payload = COMPACT_FORM.exec(token)?.[1];
  if (payload === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return isJsonObject(claims) ? claims['iss'] : undefined;
  } catch {
    return undefined;
  }
}

/** Why a token is rejected, without anything that its sender wrote. */
function reasonOf(error: unknown): { readonly reason: string; readonly claim?: string } {
  if (error instanceof ClaimError) return { reason: error.message, claim: error.claim };
  const { JOSEError, JWTClaimValidationFailed } = errors();
  if (error instanceof JWTClaimValidationFailed) return { reason: error.code, claim: error.claim };
  return { reason: error instanceof JOSEError ? error.code : 'the key does not fit' };
}

/** Makes the service. */
export function createIssuerTokens({ issuers, log, now }: IssuerTokensOptions): IssuerTokens {
  const closing = new AbortController();
  const keysOf = ({ name, jwksUrl, publicKey = '' }: IssuerSettings): IssuerKeys =>
    jwksUrl === undefined
      ? createConfiguredKey(publicKey)
      : new PublishedKeys({ name, url: new URL(jwksUrl), log, now, closed: closing.signal });
  const byIssuer = new Map<unknown, KnownIssuer>(
    issuers.map((settings) => [settings.issuer, { settings, keys: keysOf(settings) }]),
  );
  const remembered = new LRUCache<string, Remembered>({
    max: MAX_REMEMBERED_TOKENS,
    maxSize: MAX_REMEMBERED_CHARACTERS,
    sizeCalculation: (_entry, token) => token.length,
  });
  const throttle = createLogThrottle({ everyMs: LOG_EVERY_MS, now });

  const logRejected = ({ settings: { name } }: KnownIssuer, error: unknown): void => {
    const why = reasonOf(error);
    const line = throttle([name, why.reason, why.claim].join(' '));
    if (line !== undefined) log.info({ issuer: name, ...why, ...line }, 'rejected a token of an issuer');
  };

  const check = async (
    token: string,
    { issuer, audience }: IssuerSettings,
    { algorithms, find }: VerificationKeys,
  ): Promise<JWTPayload & { readonly exp: number }> => {
    const { payload } = await jwt().jwtVerify(token, find, {
      algorithms: [...algorithms],
      issuer,
      audience,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(now()),
    });
    const { exp = Number.NaN } = payload;
    if (!Number.isFinite(exp)) throw new ClaimError('exp', 'is not a number');
    return { ...payload, exp };
  };

  const checkWithNewest = async (token: string, { settings, keys }: KnownIssuer) => {
    const known = await keys.get();
    try {
      return { claims: await check(token, settings, known), verifiedBy: known };
    } catch (error) {
      if (!(error instanceof errors().JWKSNoMatchingKey)) throw error;
      const verifiedBy = await keys.refresh(known);
      if (verifiedBy === known) throw error;
      return { claims: await check(token, settings, verifiedBy), verifiedBy };
    }
  };

  const verifyOf = async (issuer: KnownIssuer, token: string): Promise<Client | undefined> => {
    try {
      const { claims, verifiedBy } = await checkWithNewest(token, issuer);
      const client = readUser(issuer.settings, claims);
      const expiresAt = (claims.exp + CLOCK_TOLERANCE_SECONDS) * 1000;
      remembered.set(token, { client, issuer, verifiedBy, expiresAt });
      return client;
    } catch (error) {
      if (error instanceof AppError) throw error;
      logRejected(issuer, error);
      return undefined;
    }
  };

  return {
    peek(token) {
      const entry = remembered.get(token);
      if (entry === undefined || now() >= entry.expiresAt) return undefined;
      return entry.issuer.keys.peek() === entry.verifiedBy ? entry.client : undefined;
    },

    async verify(token) {
      const issuer = byIssuer.get(claimedIssuer(token));
      return issuer === undefined ? null : verifyOf(issuer, token);
    },

    close: () => closing.abort(),
  };
}
