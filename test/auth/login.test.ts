// The login: the right secret gives a token, anything else the same refusal.
import { describe, expect, it } from 'vitest';
import type { ClientStatus } from '../../src/auth/clients/client-record.ts';
import { createLogin, createLoginLimiter } from '../../src/auth/login.ts';
import { StoreError } from '../../src/errors/errors.ts';

const status: ClientStatus = {
  client: { id: '0'.repeat(24), clientId: 'reader', accessType: 'user', permissions: null, roles: [] },
  secretVersion: 's',
};

function setUp(verify?: () => Promise<ClientStatus | undefined>, hasAny = async () => true) {
  const asked: string[] = [];
  const login = createLogin({
    clients: {
      async verifySecret(clientId, secret) {
        asked.push(clientId);
        if (verify !== undefined) return verify();
        return clientId === 'reader' && secret === 'right secret' ? status : undefined;
      },
      hasAny,
    },
    limiter: createLoginLimiter({ perClient: 2, perAddress: 100, windowSeconds: 60 }),
    tokens: {
      issue: ({ secretVersion: stamp }) => ({ accessToken: stamp, tokenType: 'Bearer', expiresIn: 5 }),
    },
  });
  return { asked, login };
}

const address = '192.0.2.1';

describe('login', () => {
  it('answers the right secret with a token', async () => {
    const { login } = setUp();
    expect(await login({ clientId: 'reader', secret: 'right secret', address })).toEqual({
      accessToken: 's',
      tokenType: 'Bearer',
      expiresIn: 5,
    });
  });

  it.each([
    ['reader', 'wrong'],
    ['nobody', 'right secret'],
    ['reader', undefined],
    [undefined, 'right secret'],
    [{ $ne: '' }, { $ne: '' }],
    ['reader', { $ne: '' }],
    ['reader', 'x'.repeat(1025)],
    ['a/b', 'right secret'],
    [['reader'], ['right secret']],
  ])('refuses %j with %j', async (clientId, secret) => {
    const { login } = setUp();
    await expect(login({ clientId, secret, address })).rejects.toMatchObject({
      code: 'INVALID_CREDENTIALS',
      status: 401,
    });
  });

  it('looks up no client for malformed credentials', async () => {
    const { login, asked } = setUp();
    const bad = [
      { clientId: { $ne: '' }, secret: 'right secret' },
      { clientId: 'reader', secret: { $ne: '' } },
      { clientId: 'reader', secret: 'x'.repeat(1025) },
    ];
    for (const credentials of bad) await login({ ...credentials, address }).catch(() => undefined);
    expect(asked).toEqual([]);
  });

  it('reports the error of the store, not a refusal, while clients cannot be looked up', async () => {
    const away = () => Promise.reject(new StoreError('timeout'));
    const { login } = setUp(away, away);
    for (const clientId of ['reader', undefined, 'a/b']) {
      for (let i = 0; i < 3; i += 1) {
        const attempt = login({ clientId, secret: 'right secret', address });
        await expect(attempt).rejects.toMatchObject({ reason: 'timeout' });
      }
    }
  });

  it('limits failures', async () => {
    const { login } = setUp();
    for (let i = 0; i < 2; i += 1) {
      await expect(login({ clientId: 'reader', secret: 'wrong', address })).rejects.toMatchObject({
        status: 401,
      });
    }
    await expect(login({ clientId: 'reader', secret: 'right secret', address })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    });
  });

  it('passes on that the store is away, and does not count it', async () => {
    let away = true;
    const { login } = setUp(async () => {
      if (away) throw new StoreError('unavailable');
      return status;
    });
    const credentials = { clientId: 'reader', secret: 'right secret', address };
    for (let i = 0; i < 5; i += 1) {
      await expect(login(credentials)).rejects.toMatchObject({ reason: 'unavailable' });
    }
    away = false;
    expect(await login(credentials)).toMatchObject({ tokenType: 'Bearer' });
  });
});
