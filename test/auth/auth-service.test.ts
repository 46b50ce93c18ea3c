// The auth: shut until the start is done, and never a refusal for good before it can judge.

import { describe, expect, it } from 'vitest';
import { createAuthService, findOrCreateSecret } from '../../src/auth/auth-service.ts';
import { createClientService } from '../../src/auth/clients/client-service.ts';
import { StoreError } from '../../src/errors/errors.ts';
import { createIdSource } from '../../src/lib/ids.ts';
import type { DocumentStore } from '../../src/stores/ports.ts';
import { auditOf } from '../helpers/store/audit-log.ts';
import { openFailingStore, openTemporaryStore } from '../helpers/store/temporary-store.ts';

const RATE_LIMIT = { perClient: 30, perAddress: 300, windowSeconds: 60 };
const CREDENTIALS = { clientId: 'boss', secret: 'a secret of the boss', address: '192.0.2.1' };
const UPLOAD = {
  collection: { version: '1.0', database: 'library', name: 'images' },
  fileName: 'a.jpg',
  mimetype: 'image/jpeg',
  lifetime: undefined,
};
const away = { reason: 'unavailable' };

async function setUp(tokenSecret?: string, uploadSecret?: string) {
  const store = await openFailingStore();
  const options = { store, now: Date.now, queryMs: 60_000 };
  const clients = createClientService({ ...options, audit: auditOf(store), generateId: createIdSource() });
  await clients.ensureIndexes();
  await clients.upsertAdmin(CREDENTIALS.clientId, CREDENTIALS.secret);
  const media = { tokenSecret: uploadSecret, tokenExpiresIn: '1h' };
  const settings = { tokenSecret, tokenTtl: 1800, rateLimit: RATE_LIMIT, issuers: [] };
  const issuerTokens = undefined;
  const state = { open: true, options: { ...options, settings, media, clients, issuerTokens } };
  const auth = createAuthService({ ...state.options, isReady: () => state.open });
  return { store, auth, state };
}

describe('the auth service', () => {
  it('lets in whoever logs in, once it has a secret to sign with', async () => {
    const { auth } = await setUp();
    await expect(auth.login(CREDENTIALS)).rejects.toMatchObject(away);
    await auth.ensureSecret();
    const { accessToken } = await auth.login(CREDENTIALS);
    expect((await auth.tokens.verify(accessToken)).clientId).toBe('boss');
    auth.close();
  });

  it('calls no token bad while the secret is not known', async () => {
    const { auth, store } = await setUp();
    store.fail();
    await expect(auth.ensureSecret()).rejects.toMatchObject(away);
    for (const token of ['', 'nonsense', 'a.b.c', 'x'.repeat(5000)]) {
      await expect(auth.tokens.verify(token)).rejects.toMatchObject(away);
      expect(auth.tokens.peek(token)).toBeUndefined();
    }
    store.recover();
    await auth.ensureSecret();
    await expect(auth.tokens.verify('nonsense')).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
  });

  it('tells a bad token from a good one at any time where the secret is configured', async () => {
    const { auth, state } = await setUp('a secret of at least thirty-two characters');
    await auth.ensureSecret();
    const { accessToken } = await auth.login(CREDENTIALS);
    state.open = false;
    await expect(auth.tokens.verify(accessToken)).rejects.toMatchObject(away);
    await expect(auth.tokens.verify(`${accessToken}x`)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
    await expect(auth.login(CREDENTIALS)).rejects.toMatchObject(away);
    state.open = true;
    expect((await auth.tokens.verify(accessToken)).clientId).toBe('boss');
  });

  it('keeps a configured secret to itself: nothing is stored', async () => {
    const { auth, store } = await setUp('a secret of at least thirty-two characters');
    store.fail();
    await auth.ensureSecret();
    expect(store.failed).toEqual([]);
  });

  it('makes one secret for upload tokens, when it is first needed, and keeps it with the data', async () => {
    const { auth, store, state } = await setUp();
    const client = (await auth.findClient('boss'))!;
    const sign = () => auth.uploadTokens.sign({ ...UPLOAD, client });
    const [{ token }, other] = await Promise.all([sign(), sign()]);
    expect((await auth.uploadTokens.verify(token)).signer.clientId).toBe('boss');
    expect((await auth.uploadTokens.verify(other.token)).fileName).toBe('a.jpg');
    const again = createAuthService({ ...state.options, isReady: () => true });
    expect((await again.uploadTokens.verify(token)).signedBy).toBe('boss');
    expect(store.failed).toEqual([]);
    again.close();
    auth.close();
  });

  it('calls no upload token bad while the secret is not known', async () => {
    const { auth, store } = await setUp();
    store.fail();
    await expect(auth.uploadTokens.verify('a.b.c')).rejects.toMatchObject(away);
    store.recover();
    await expect(auth.uploadTokens.verify('a.b.c')).rejects.toMatchObject({ code: 'UPLOAD_TOKEN_INVALID' });
    auth.close();
  });
});

const secretIn = (store: Pick<DocumentStore, 'find' | 'commit'>, name: string) =>
  findOrCreateSecret(name, { store, now: Date.now, queryMs: 60_000 });

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

  it('is not generated while the store is unavailable', async () => {
    const { store } = await openTemporaryStore();
    const away = {
      ...store,
      find: store.find.bind(store),
      commit: () => Promise.reject(new StoreError('unavailable')),
    };
    await expect(secretIn(away, 'name')).rejects.toMatchObject({ reason: 'unavailable' });
  });
});
