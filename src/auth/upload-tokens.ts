// Upload tokens: each allows its bearer to upload one file, with this name and media type, to one collection.
import { createSecretKey, randomBytes } from 'node:crypto';
import type { CollectionAddress } from '../collections/model/collection.ts';
import { AppError } from '../errors/errors.ts';
import { parseDuration } from '../lib/duration.ts';
import { lazyPackage } from '../lib/files/lazy-package.ts';
import { isId } from '../lib/ids.ts';
import type { ClientCache } from './access-tokens.ts';
import { invalidTokenError } from './auth-errors.ts';
import { type Client, isRole } from './clients/client.ts';
import { createUser } from './issuers/issuer-user.ts';

const jwt = lazyPackage<typeof import('jsonwebtoken')>('jsonwebtoken');

const ALGORITHM = 'HS256';
/** Differs from that of access tokens: neither kind passes for the other, even if one secret signs both. */
const AUDIENCE = 'cloister:upload';
/** Above what the longest name, address and client id and a hundred roles add up to. */
const MAX_LENGTH = 24_576;
const RANDOM_BYTES = 8;

interface UploadTokensOptions {
  /** The signing secret. Rejects with the store's StoreError while it cannot be read. */
  readonly secret: () => Promise<string>;
  /** `media.tokenExpiresIn`. */
  readonly expiresIn: number | string;
  readonly clientCache: Pick<ClientCache, 'get'>;
  /** Names of the other issuers, whose users have no record. */
  readonly issuerNames: readonly string[];
  /** Epoch milliseconds. */
  readonly now: () => number;
}

interface SignOptions {
  /**
   * Who signs. The rights of a client are checked again at the upload; of a user of another issuer they are what its roles at
   * the signing allow then.
   */
  readonly client: Client;
  readonly collection: CollectionAddress;
  readonly fileName: string;
  /** Null: any. */
  readonly mimetype: string | null;
  /** Milliseconds, from a second to 30 days (`parseDuration`); undefined: as the configuration says. */
  readonly lifetime: number | undefined;
}

export interface VerifiedUpload {
  /** Has the form of a document id and begins with the second in which the token expires. */
  readonly tokenId: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly fileName: string;
  /** Null: any. */
  readonly mimetype: string | null;
  /** Client id of `signer`. */
  readonly signedBy: string;
  /** The client that signed, as it is now; the user of another issuer, as it was. */
  readonly signer: Client;
  readonly collection: CollectionAddress;
}

export type UploadTokens = ReturnType<typeof createUploadTokens>;

/** The error for a token that is forged, changed, or not valid for this upload. Its text never says why. */
export function invalidUploadTokenError(): AppError {
  return new AppError('UPLOAD_TOKEN_INVALID', {
    body: { name: 'JsonWebTokenError', message: 'invalid token' },
  });
}

function expiredUploadTokenError(expiresAt: number): AppError {
  const expiredAt = new Date(expiresAt).toISOString();
  return new AppError('UPLOAD_TOKEN_EXPIRED', {
    body: { name: 'TokenExpiredError', message: 'jwt expired', expiredAt },
  });
}

/** Sorts by expiry, so that the rows of used tokens can be removed in that order. */
function createTokenId(expiresAt: number): string {
  const seconds = Math.floor(expiresAt / 1000);
  return seconds.toString(16).padStart(8, '0') + randomBytes(RANDOM_BYTES).toString('hex');
}

export function createUploadTokens({
  secret,
  expiresIn,
  clientCache,
  issuerNames,
  now,
}: UploadTokensOptions) {
  const defaultLifetime = parseDuration(expiresIn);
  if (defaultLifetime === undefined) throw new Error('media.tokenExpiresIn is no span of time');
  const key = async () => createSecretKey(await secret(), 'utf8');

  /** What a token says of its signer beside the name. */
  const signerClaims = async ({ clientId, issuer, roles }: Client) => {
    if (issuer !== undefined) return { issuer, roles };
    const status = await clientCache.get(clientId);
    if (status === undefined) throw invalidTokenError();
    return { stamp: status.secretVersion };
  };

  const findSigner = async ({ clientId, secretVersion, issuer, roles }: Signer): Promise<Client> => {
    if (issuer !== undefined) {
      if (!issuerNames.includes(issuer)) throw invalidUploadTokenError();
      return createUser(issuer, clientId, roles);
    }
    const status = await clientCache.get(clientId);
    if (status === undefined || status.secretVersion !== secretVersion) throw invalidUploadTokenError();
    return status.client;
  };

  return {
    /**
     * Signs a token. Resolves with it and the time at which it expires, in epoch milliseconds. Rejects with INVALID_TOKEN
     * when the client is gone, and with a StoreError.
     */
    async sign(options: SignOptions): Promise<{ readonly token: string; readonly expiresAt: number }> {
      const { client, collection, fileName, mimetype, lifetime = defaultLifetime } = options;
      const signer = await signerClaims(client);
      const signedAt = now();
      const expiresAt = signedAt + lifetime;
      const { version, database, name } = collection;
      const claims = {
        fileName,
        mimetype,
        collection: { version, database, name },
        ...signer,
        // With its fraction, so that the token expires at `expiresAt` and not up to a second from it.
        iat: Math.floor(signedAt / 1000),
        exp: expiresAt / 1000,
      };
      const token = jwt().sign(claims, await key(), {
        algorithm: ALGORITHM,
        audience: AUDIENCE,
        subject: client.clientId,
        jwtid: createTokenId(expiresAt),
      });
      return { token, expiresAt };
    },

    /**
     * Verifies a token and returns what it allows. Rejects with UPLOAD_TOKEN_EXPIRED; with UPLOAD_TOKEN_INVALID when it is not one that this
     * server signed, or its client was removed or has another secret, or its issuer is configured no more; with the store's StoreError when the client cannot
     * be looked up.
     */
    async verify(token: string): Promise<VerifiedUpload> {
      if (token.length > MAX_LENGTH) throw invalidUploadTokenError();
      const { claimedSigner, ...allowed } = readToken(token, await key());
      if (now() >= allowed.expiresAt) throw expiredUploadTokenError(allowed.expiresAt);
      const signer = await findSigner(claimedSigner);
      return { ...allowed, signedBy: signer.clientId, signer };
    },
  };
}

function readToken(token: string, key: ReturnType<typeof createSecretKey>) {
  try {
    // Expiry is checked last: an expired token of another kind gets the same error as a forged one.
    return readClaims(
      jwt().verify(token, key, { algorithms: [ALGORITHM], audience: AUDIENCE, ignoreExpiration: true }),
    );
  } catch {
    throw invalidUploadTokenError();
  }
}

/** Who signed, as a token says: a client with the version of its secret, or a user of an issuer with its roles. */
interface Signer {
  readonly clientId: string;
  readonly secretVersion: string | undefined;
  readonly issuer: string | undefined;
  readonly roles: readonly string[];
}

function readSigner(sub: unknown, stamp: unknown, issuer: unknown, roles: unknown): Signer | undefined {
  if (typeof sub !== 'string') return undefined;
  if (typeof stamp === 'string') return { clientId: sub, secretVersion: stamp, issuer: undefined, roles: [] };
  if (typeof issuer !== 'string' || !Array.isArray(roles)) return undefined;
  return { clientId: sub, secretVersion: undefined, issuer, roles: roles.filter(isRole) };
}

function readClaims(payload: unknown) {
  const { jti, sub, stamp, issuer, roles, exp, fileName, mimetype, collection } = Object(payload);
  const { version, database, name } = Object(collection);
  const claimedSigner = readSigner(sub, stamp, issuer, roles);
  const texts: readonly unknown[] = [fileName, mimetype ?? '', version, database, name];
  // The claim is always there, so that none but this function says that any type is allowed.
  if (
    mimetype === undefined ||
    claimedSigner === undefined ||
    !isId(jti) ||
    !Number.isFinite(exp) ||
    texts.some((text) => typeof text !== 'string')
  ) {
    throw invalidUploadTokenError();
  }
  return {
    tokenId: jti,
    expiresAt: Math.round(exp * 1000),
    claimedSigner,
    fileName: String(fileName),
    mimetype: mimetype === null ? null : String(mimetype),
    collection: { version: String(version), database: String(database), name: String(name) },
  };
}
