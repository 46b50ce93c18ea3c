// The gate: shut until the start is done, and never a refusal for good before it can judge.
import { describe, expect, it } from 'vitest';
import { createAuthService } from '../../src/auth/auth-service.ts';
import { createClientService } from '../../src/auth/clients/client-service.ts';
import { createIdSource } from '../../src/lib/ids.ts';
import { auditOf } from '../helpers/audit-log.ts';
import { openFickleStore } from '../helpers/fickle-store.ts';

const RATE_LIMIT = { perClient: 30, perAddress: 300, windowSeconds: 60 };
const CREDENTIALS = { clientId: 'boss', secret: 'a secret of the boss', address: '192.0.2.1' };
const UPLOAD = {
  collection: { version: '1.0', database: 'library', name: 'images' },
  ...{ fileName: 'a.jpg', mimetype: 'image/jpeg', lifetime: undefined },
};
const away = { reason: 'unavailable' };

async function setUp(tokenSecret?: string, uploadSecret?: string) {
  const store = await openFickleStore();
  const options = { store, now: Date.now, queryMs: 5000 };
  const clients = createClientService({ ...options, audit: auditOf(store), newId: createIdSource() });
  await clients.ensureIndexes();
  await clients.upsertAdmin(CREDENTIALS.clientId, CREDENTIALS.secret);
  const media = { tokenSecret: uploadSecret, tokenExpiresIn: '1h' };
  const settings = { tokenSecret, tokenTtl: 1800, rateLimit: RATE_LIMIT };
  const state = { open: true, options: { ...options, settings, media, clients } };
  const gate = createAuthService({ ...state.options, isReady: () => state.open });
  return { store, gate, state };
}

describe('the gate', () => {
  it('lets in whoever logs in, once it has a secret to sign with', async () => {
    const { gate } = await setUp();
    await expect(gate.login(CREDENTIALS)).rejects.toMatchObject(away);
    await gate.ensureSecret();
    const { accessToken } = await gate.login(CREDENTIALS);
    expect((await gate.tokens.verify(accessToken)).clientId).toBe('boss');
    gate.close();
  });

  it('calls no token bad while the secret is not known', async () => {
    const { gate, store } = await setUp();
    store.leave();
    await expect(gate.ensureSecret()).rejects.toMatchObject(away);
    for (const token of ['', 'nonsense', 'a.b.c', 'x'.repeat(5000)]) {
      await expect(gate.tokens.verify(token)).rejects.toMatchObject(away);
      expect(gate.tokens.peek(token)).toBeUndefined();
    }
    store.comeBack();
    await gate.ensureSecret();
    await expect(gate.tokens.verify('nonsense')).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
  });

  it('tells a bad token from a good one at any time where the secret is configured', async () => {
    const { gate, state } = await setUp('a secret of at least thirty-two characters');
    await gate.ensureSecret();
    const { accessToken } = await gate.login(CREDENTIALS);
    state.open = false;
    await expect(gate.tokens.verify(accessToken)).rejects.toMatchObject(away);
    await expect(gate.tokens.verify(`${accessToken}x`)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
    await expect(gate.login(CREDENTIALS)).rejects.toMatchObject(away);
    state.open = true;
    expect((await gate.tokens.verify(accessToken)).clientId).toBe('boss');
  });

  it('keeps a configured secret to itself: nothing is stored', async () => {
    const { gate, store } = await setUp('a secret of at least thirty-two characters');
    store.leave();
    await gate.ensureSecret();
    expect(store.missed).toEqual([]);
  });

  it('makes one secret for upload tokens, when it is first needed, and keeps it with the data', async () => {
    const { gate, store, state } = await setUp();
    const sign = () => gate.uploadTokens.sign({ ...UPLOAD, clientId: 'boss' });
    const [{ token }, other] = await Promise.all([sign(), sign()]);
    expect((await gate.uploadTokens.verify(token)).signer.clientId).toBe('boss');
    expect((await gate.uploadTokens.verify(other.token)).fileName).toBe('a.jpg');
    const again = createAuthService({ ...state.options, isReady: () => true });
    expect((await again.uploadTokens.verify(token)).signedBy).toBe('boss');
    expect(store.missed).toEqual([]);
    again.close();
    gate.close();
  });

  it('calls no upload token bad while the secret is not known', async () => {
    const { gate, store } = await setUp();
    store.leave();
    await expect(gate.uploadTokens.verify('a.b.c')).rejects.toMatchObject(away);
    store.comeBack();
    await expect(gate.uploadTokens.verify('a.b.c')).rejects.toMatchObject({ code: 'UPLOAD_TOKEN_INVALID' });
    gate.close();
  });
});
