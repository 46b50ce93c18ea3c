// Which upload tokens have been used: one row for each, inserted in the commit of the upload, so that one upload can win.
import { StoreError } from '../errors.ts';
import type { DocumentStore, Namespace, Write } from '../stores/ports.ts';
import type { UploadGrant } from './media.ts';

export const USED_TOKENS: Namespace = { database: null, collection: 'cloister.upload-tokens' };

/** Rows that one commit removes. */
const MAX_REMOVED = 500;

type Deadline = { readonly deadline: number };

/** Id of the row of a used token: tokens have ids of the form of document ids, which begin with the second of expiry. */
export function usedTokenId(tokenId: string): string {
  return tokenId.toLowerCase();
}

/** The write that uses a token up. A commit that has it fails as `duplicate` (or `conflict`) for a token that is used. */
export function usedTokenWrite({ tokenId, expiresAt }: Pick<UploadGrant, 'tokenId' | 'expiresAt'>): Write {
  return { kind: 'insert', ns: USED_TOKENS, document: { _id: usedTokenId(tokenId), expiresAt, v: 1 } };
}

/** Has an upload used this token? Rejects with a StoreError. */
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
  const rows = await store.find(USED_TOKENS, { filter, sort: [], skip: 0, limit: 1 }, options);
  return rows.length > 0;
}

/**
 * Removes the rows of tokens that expired before `before` (epoch milliseconds), and resolves with their number: nobody can
 * use those tokens any more. What another server is removing at the same time is left to it. Rejects with a StoreError.
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
    const rows = await store.find(USED_TOKENS, query, { deadline: deadline() });
    if (rows.length === 0) return removed;
    const writes = rows.map(({ _id }): Write => ({ kind: 'remove', ns: USED_TOKENS, id: _id, v: 1 }));
    try {
      await store.commit(writes, { deadline: deadline() });
    } catch (error) {
      if (error instanceof StoreError && error.reason === 'conflict') return removed;
      throw error;
    }
    removed += rows.length;
  }
}
