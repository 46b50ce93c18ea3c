// Used upload tokens: one upload wins, and rows go once their tokens have expired.

import { describe, expect, it } from 'vitest';
import type { AppError } from '../../src/errors/errors.ts';
import {
  assertMatchesSigned,
  isTokenUsed,
  removeExpiredTokens,
  tokenMissingError,
  tokenUsedError,
  USED_TOKENS_NAMESPACE,
  usedTokenId,
  usedTokenWrite,
} from '../../src/media/used-upload-tokens.ts';
import { MATCH_ALL } from '../../src/stores/filter.ts';
import { openTemporaryStore } from '../helpers/store/temporary-store.ts';

const SECOND = 1_800_000_000;
const tokenAt = (seconds: number, rest = 'ab') => ({
  tokenId: seconds.toString(16) + rest.padEnd(16, '0'),
  expiresAt: seconds * 1000,
});
const within = () => ({ deadline: Date.now() + 60_000 });
const later = () => Date.now() + 60_000;

describe('a used upload token', () => {
  it('is known to every process on the database', async () => {
    const { store } = await openTemporaryStore();
    const token = tokenAt(SECOND);
    expect(await isTokenUsed(store, token.tokenId, within())).toBe(false);
    await store.commit([usedTokenWrite(token)]);
    expect(await isTokenUsed(store, token.tokenId, within())).toBe(true);
    expect(await isTokenUsed(store, tokenAt(SECOND, 'ac').tokenId, within())).toBe(false);
  });

  it('can be used by one of many commits at once', async () => {
    const { store } = await openTemporaryStore();
    const uses = Array.from({ length: 20 }, () => store.commit([usedTokenWrite(tokenAt(SECOND))]));
    const outcomes = await Promise.allSettled(uses);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const reasons = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.reason] : []));
    expect(new Set(reasons)).toEqual(new Set(['duplicate']));
  });

  it('has the same row in either case', () => {
    expect(usedTokenId('6B49D200AB00000000000000')).toBe(usedTokenId('6b49d200ab00000000000000'));
  });
});

describe('removeExpiredTokens', () => {
  it('removes what expired before, and nothing else', async () => {
    const { store } = await openTemporaryStore();
    const tokens = [SECOND - 2, SECOND - 1, SECOND, SECOND + 1].map((seconds) => tokenAt(seconds));
    await store.commit(tokens.map(usedTokenWrite));
    expect(await removeExpiredTokens(store, SECOND * 1000 + 999, later)).toBe(2);
    const left = await store.find(USED_TOKENS_NAMESPACE, { filter: MATCH_ALL, sort: [], skip: 0, limit: 10 });
    expect(left.map(({ expiresAt }) => expiresAt)).toEqual([SECOND * 1000, (SECOND + 1) * 1000]);
    expect(await removeExpiredTokens(store, SECOND * 1000, later)).toBe(0);
  });

  it('removes more rows than fit into one commit', async () => {
    const { store } = await openTemporaryStore();
    const tokens = Array.from({ length: 1201 }, (_, at) => tokenAt(SECOND, at.toString(16).padStart(8, '0')));
    await store.commit(tokens.map(usedTokenWrite));
    expect(await removeExpiredTokens(store, (SECOND + 1) * 1000, later)).toBe(1201);
  });

  it('leaves to another server what that one removes at the same time', async () => {
    const { store } = await openTemporaryStore();
    await store.commit([usedTokenWrite(tokenAt(SECOND))]);
    const sweeps = [1, 2].map(() => removeExpiredTokens(store, (SECOND + 1) * 1000, later));
    const removed = await Promise.all(sweeps);
    expect(removed.reduce((sum, count) => sum + count, 0)).toBe(1);
  });
});

const SIGNED = { fileName: 'test.jpg', mimetype: 'image/jpeg' };

function errorOf(signed: typeof SIGNED, sent: typeof SIGNED): AppError | undefined {
  try {
    assertMatchesSigned(signed, sent);
    return undefined;
  } catch (error) {
    return error as AppError;
  }
}

describe('a file that is not the signed one', () => {
  it('is refused by its name before its type', () => {
    expect(errorOf(SIGNED, { fileName: 'other.jpg', mimetype: 'text/plain' })).toMatchObject({
      status: 400,
      body: { name: 'Unexpected filename', message: 'Expected a file named "test.jpg"' },
      items: [{ message: 'Expected a file named "test.jpg"', code: 'UPLOAD_NOT_AS_SIGNED' }],
    });
  });

  it('is refused by its type', () => {
    expect(errorOf(SIGNED, { ...SIGNED, mimetype: 'image/png' })).toMatchObject({
      status: 400,
      body: { name: 'Unexpected mimetype', message: 'Expected a mimetype of "image/jpeg"' },
    });
  });

  it.each(['Test.jpg', 'test.JPG', ' test.jpg', 'test.jpg ', './test.jpg', 'test.jpg\0', 'test.jpg.exe', ''])(
    'is any with the name %j',
    (fileName) => {
      expect(errorOf(SIGNED, { ...SIGNED, fileName })?.body['name']).toBe('Unexpected filename');
    },
  );
});

describe('the signed file', () => {
  it('may have its name in another normal form', () => {
    const decomposed = { ...SIGNED, fileName: 'u\u0308n\u0308i.jpg' };
    const composed = { ...SIGNED, fileName: '\u00fcn\u0308i.jpg' };
    expect(errorOf(composed, decomposed)).toBeUndefined();
    expect(errorOf(decomposed, composed)).toBeUndefined();
  });

  it.each(['IMAGE/JPEG', 'image/jpeg; quality=1', ' image/jpeg ;x'])('may come as %j', (mimetype) => {
    expect(errorOf(SIGNED, { ...SIGNED, mimetype })).toBeUndefined();
  });
});

describe('the errors of upload tokens', () => {
  it('carry their names', () => {
    expect(tokenUsedError()).toMatchObject({ status: 400, body: { name: 'TokenUsedError' } });
    expect(tokenMissingError()).toMatchObject({ status: 400, body: { name: 'NoTokenError' } });
    expect(tokenMissingError().items).toEqual([
      { message: tokenMissingError().body['message'], code: 'UPLOAD_TOKEN_MISSING' },
    ]);
  });
});
