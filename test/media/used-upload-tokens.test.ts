// Used upload tokens: one upload wins, and rows go once their tokens have expired.
import { describe, expect, it } from 'vitest';
import {
  isTokenUsed,
  removeExpiredTokens,
  USED_TOKENS,
  usedTokenId,
  usedTokenWrite,
} from '../../src/media/used-upload-tokens.ts';
import { MATCH_ALL } from '../../src/stores/filter.ts';
import { openTemporaryStore } from '../helpers/temporary-store.ts';

const SECOND = 1_800_000_000;
const tokenAt = (seconds: number, rest = 'ab') => ({
  tokenId: seconds.toString(16) + rest.padEnd(16, '0'),
  expiresAt: seconds * 1000,
});
const within = () => ({ deadline: Date.now() + 5000 });
const later = () => Date.now() + 5000;

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
    const left = await store.find(USED_TOKENS, { filter: MATCH_ALL, sort: [], skip: 0, limit: 10 });
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
