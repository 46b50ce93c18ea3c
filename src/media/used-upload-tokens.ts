// The used tokens of signed uploads: a token is valid once, for the file that was signed. Each used one is a row, inserted in the
// commit of its upload, so that only one upload can succeed. Clients of this dialect expect `name` and `message` at the top of an error.

import { AppError, type ErrorCode, StoreError } from '../errors/errors.ts';
import type { DocumentStore, Namespace, Write } from '../stores/ports.ts';
import { mediaTypeOf } from './file-name.ts';
import type { FormPart, UploadGrant } from './media-service-types.ts';

export const USED_TOKENS_NAMESPACE: Namespace = { database: null, collection: 'cloister.upload-tokens' };

/** Rows removed per commit. */
const MAX_REMOVED = 500;

type Deadline = { readonly deadline: number };

/** Id of the row of a used token: tokens have ids of the form of document ids, which begin with the second of expiry. */
export function usedTokenId(tokenId: string): string {
  return tokenId.toLowerCase();
}

/** The write that marks a token as used. A commit with it rejects with `duplicate` (or `conflict`) if the token is already used. */
export function usedTokenWrite({ tokenId, expiresAt }: Pick<UploadGrant, 'tokenId' | 'expiresAt'>): Write {
  return {
    kind: 'insert',
    ns: USED_TOKENS_NAMESPACE,
    document: { _id: usedTokenId(tokenId), expiresAt, v: 1 },
  };
}

/** Whether an upload has used this token. Rejects with a StoreError. */
export async function isTokenUsed(
  store: Pick<DocumentStore, 'find'>,
  tokenId: string,
  options: Deadline,
): Promise<boolean> {
  const filter = {
    kind: 'field',
    path: '_id',
    tests: [{ kind: 'eq', value: usedTokenId(tokenId) }],
  } as const;
  const rows = await store.find(USED_TOKENS_NAMESPACE, { filter, sort: [], skip: 0, limit: 1 }, options);
  return rows.length > 0;
}

/**
 * Removes the rows of tokens that expired before `before` (epoch milliseconds), and resolves with their number. Rows that another
 * server is removing are skipped. Rejects with a StoreError.
 */
export async function removeExpiredTokens(
  store: Pick<DocumentStore, 'find' | 'commit'>,
  before: number,
  deadline: () => number,
): Promise<number> {
  const end = Math.floor(before / 1000)
    .toString(16)
    .padStart(8, '0');
  const tests = [{ kind: 'lt', value: end.padEnd(24, '0') }] as const;
  const query = {
    filter: { kind: 'field', path: '_id', tests },
    sort: [],
    skip: 0,
    limit: MAX_REMOVED,
  } as const;
  let removed = 0;
  for (;;) {
    const rows = await store.find(USED_TOKENS_NAMESPACE, query, { deadline: deadline() });
    if (rows.length === 0) return removed;
    const writes = rows.map(
      ({ _id }): Write => ({ kind: 'remove', ns: USED_TOKENS_NAMESPACE, id: _id, v: 1 }),
    );
    try {
      await store.commit(writes, { deadline: deadline() });
    } catch (error) {
      if (error instanceof StoreError && error.reason === 'conflict') return removed;
      throw error;
    }
    removed += rows.length;
  }
}

type SignedFile = Pick<UploadGrant, 'fileName' | 'mimetype'>;

function createNamedError(code: ErrorCode, name: string, text?: string): AppError {
  const error = new AppError(code, text === undefined ? {} : { message: text });
  return new AppError(code, { items: error.items, body: { name, message: error.message } });
}

/** The token was already used by a successful upload, or another one with it is under way: then `message` says so. */
export const tokenUsedError = (message?: string): AppError =>
  createNamedError('UPLOAD_TOKEN_USED', 'TokenUsedError', message);

/** The collection has `signUploads`, and the upload has no token. */
export const tokenMissingError = (): AppError => createNamedError('UPLOAD_TOKEN_MISSING', 'NoTokenError');

/**
 * Compares a file of the form with what was signed: the name as sent, in any Unicode normal form, and the media type.
 * Throws UPLOAD_NOT_AS_SIGNED.
 */
export function assertMatchesSigned(
  signed: SignedFile,
  { fileName, mimetype }: Pick<Extract<FormPart, { kind: 'file' }>, 'fileName' | 'mimetype'>,
): void {
  if (fileName.normalize('NFC') !== signed.fileName.normalize('NFC')) {
    const expected = `Expected a file named "${signed.fileName}"`;
    throw createNamedError('UPLOAD_NOT_AS_SIGNED', 'Unexpected filename', expected);
  }
  if (signed.mimetype !== null && mediaTypeOf(mimetype) !== mediaTypeOf(signed.mimetype)) {
    const expected = `Expected a mimetype of "${signed.mimetype}"`;
    throw createNamedError('UPLOAD_NOT_AS_SIGNED', 'Unexpected mimetype', expected);
  }
}
