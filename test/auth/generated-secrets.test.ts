// Generated secrets: one per name and database, whoever starts first.
import { describe, expect, it } from 'vitest';
import { findOrCreateSecret } from '../../src/auth/generated-secrets.ts';
import { StoreError } from '../../src/errors/errors.ts';
import type { DocumentStore } from '../../src/stores/ports.ts';
import { openTemporaryStore } from '../helpers/temporary-store.ts';

const secretIn = (store: Pick<DocumentStore, 'find' | 'commit'>, name: string) =>
  findOrCreateSecret(name, { store, now: Date.now, queryMs: 5000 });

describe('generatedSecret', () => {
  it('stays the same for a name, and differs between names and databases', async () => {
    const { store, path } = await openTemporaryStore();
    const secret = await secretIn(store, 'auth.tokenSecret');
    expect(secret).toMatch(/^[\w-]{32}$/);
    expect(await secretIn(store, 'auth.tokenSecret')).toBe(secret);
    expect(await secretIn(store, 'media.tokenSecret')).not.toBe(secret);
    expect(await secretIn((await openTemporaryStore(path)).store, 'auth.tokenSecret')).toBe(secret);
    expect(await secretIn((await openTemporaryStore()).store, 'auth.tokenSecret')).not.toBe(secret);
  });

  it('is one, however many start at once', async () => {
    const { store, path } = await openTemporaryStore();
    const other = (await openTemporaryStore(path)).store;
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, index) => secretIn(index % 2 === 0 ? store : other, 'name')),
    );
    expect(new Set(all).size).toBe(1);
  });

  it('is not made up while the store is away', async () => {
    const { store } = await openTemporaryStore();
    const away = {
      ...store,
      find: store.find.bind(store),
      commit: () => Promise.reject(new StoreError('unavailable')),
    };
    await expect(secretIn(away, 'name')).rejects.toMatchObject({ reason: 'unavailable' });
  });
});
