// Tokens: only ours, only while they last, only while their client stands as it did.
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAccessTokens, createClientCache } from '../../src/auth/access-tokens.ts';
import type { ClientStatus } from '../../src/auth/clients/client-record.ts';
import { CLIENTS_NAMESPACE } from '../../src/auth/clients/client-store.ts';
import { StoreError } from '../../src/errors/errors.ts';
import { openClients } from './clients/open-clients.ts';

const SECRET = 'a secret of at least thirty-two characters';
const START = 1_700_000_000_000;

const status = (stamp: string): ClientStatus => ({
  client: { id: '0'.repeat(24), clientId: 'reader', accessType: 'user', permissions: null, roles: [] },
  secretVersion: stamp,
});

function setUp() {
  const state = { at: START, stored: status('s1') as ClientStatus | undefined, away: false, reads: 0 };
  const now = () => state.at;
  const clientCache = createClientCache({
    load: async () => {
      state.reads += 1;
      if (state.away) throw new StoreError('unavailable');
      return state.stored;
    },
    watch: () => () => undefined,
    namespace: { database: null, collection: 'clients' },
    now,
  });
  return {
    state,
    now,
    clientCache,
    tokens: createAccessTokens({ secret: () => SECRET, ttl: 1800, clientCache, now }),
  };
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function forge(header: object, payload: object, secret = SECRET, hash = 'sha256'): string {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`;
}

const seconds = START / 1000;
const claims = { sub: 'reader', stamp: 's1', aud: 'cloister:access', iat: seconds, exp: seconds + 1800 };
const refused = { code: 'INVALID_TOKEN', status: 401 };

describe('an issued access token', () => {
  it('names its client until it expires', async () => {
    const { tokens, state } = setUp();
    const { accessToken, tokenType, expiresIn } = tokens.issue(status('s1'));
    expect({ tokenType, expiresIn }).toEqual({ tokenType: 'Bearer', expiresIn: 1800 });
    expect(await tokens.verify(accessToken)).toEqual(status('s1').client);
    state.at += 1_799_000;
    expect(await tokens.verify(accessToken)).toEqual(status('s1').client);
    state.at += 1000;
    expect(tokens.peek(accessToken)).toBeUndefined();
    await expect(tokens.verify(accessToken)).rejects.toMatchObject(refused);
  });

  it('is another one each time', () => {
    const { tokens } = setUp();
    expect(tokens.issue(status('s1')).accessToken).not.toBe(tokens.issue(status('s1')).accessToken);
  });

  it('is known at once after its first use, for as long as its client is', async () => {
    const { tokens, state } = setUp();
    const { accessToken } = tokens.issue(status('s1'));
    expect(tokens.peek(accessToken)).toBeUndefined();
    await tokens.verify(accessToken);
    expect(tokens.peek(accessToken)).toEqual(status('s1').client);
    state.at += 3001;
    expect(tokens.peek(accessToken)).toBeUndefined();
    await tokens.verify(accessToken);
    expect(tokens.peek(accessToken)).toEqual(status('s1').client);
    expect(state.reads).toBe(2);
  });

  it('follows the present rights of its client', async () => {
    const { tokens, state } = setUp();
    const { accessToken } = tokens.issue(status('s1'));
    await tokens.verify(accessToken);
    const { client, secretVersion: stamp } = status('s1');
    state.stored = { secretVersion: stamp, client: { ...client, accessType: 'admin' } };
    state.at += 3001;
    expect((await tokens.verify(accessToken)).accessType).toBe('admin');
  });

  it.each([
    ['removed', undefined],
    ['given another secret', status('s2')],
  ])('ends within seconds when its client is %s', async (_case, stored) => {
    const { tokens, state } = setUp();
    const { accessToken } = tokens.issue(status('s1'));
    await tokens.verify(accessToken);
    state.stored = stored;
    state.at += 3001;
    await expect(tokens.verify(accessToken)).rejects.toMatchObject(refused);
    expect(tokens.peek(accessToken)).toBeUndefined();
  });

  it('is not refused, but cannot be judged, while the store is away', async () => {
    const { tokens, state } = setUp();
    const { accessToken } = tokens.issue(status('s1'));
    state.away = true;
    await expect(tokens.verify(accessToken)).rejects.toMatchObject({ reason: 'unavailable' });
    await expect(tokens.verify(`${accessToken}x`)).rejects.toMatchObject(refused);
    state.away = false;
    expect(await tokens.verify(accessToken)).toEqual(status('s1').client);
  });
});

describe('a foreign access token', () => {
  it('would pass if all of it were right', async () => {
    const { tokens } = setUp();
    expect(await tokens.verify(forge({ alg: 'HS256', typ: 'JWT' }, claims))).toEqual(status('s1').client);
  });

  it.each([
    ['no algorithm', `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`],
    ['the algorithm in odd case', `${encode({ alg: 'nOnE' })}.${encode(claims)}.`],
    ['HS384', forge({ alg: 'HS384' }, claims, SECRET, 'sha384')],
    ['HS512', forge({ alg: 'HS512' }, claims, SECRET, 'sha512')],
    ['RS256 over our secret', forge({ alg: 'RS256' }, claims)],
    ['another secret', forge({ alg: 'HS256' }, claims, 'another secret')],
    ['another audience', forge({ alg: 'HS256' }, { ...claims, aud: 'upload' })],
    ['no audience', forge({ alg: 'HS256' }, { ...claims, aud: undefined })],
    ['no end', forge({ alg: 'HS256' }, { ...claims, exp: undefined })],
    ['an end in the past', forge({ alg: 'HS256' }, { ...claims, exp: seconds })],
    ['a start in the future', forge({ alg: 'HS256' }, { ...claims, nbf: seconds + 60 })],
    ['no subject', forge({ alg: 'HS256' }, { ...claims, sub: undefined })],
    ['a subject that is no text', forge({ alg: 'HS256' }, { ...claims, sub: { $ne: '' } })],
    ['no stamp', forge({ alg: 'HS256' }, { ...claims, stamp: undefined })],
    ['another stamp', forge({ alg: 'HS256' }, { ...claims, stamp: 's0' })],
    ['a payload that is no object', forge({ alg: 'HS256' }, [1])],
    ['nothing', ''],
    ['no dots', 'abc'],
    ['broken JSON', `${Buffer.from('{').toString('base64url')}.${encode(claims)}.x`],
    ['odd characters', '\u0000\ud800.\u0000.\u0000'],
    ['too much', 'x'.repeat(100_000)],
  ])('with %s is refused', async (_case, token) => {
    const { tokens } = setUp();
    await expect(tokens.verify(token)).rejects.toMatchObject(refused);
    expect(tokens.peek(token)).toBeUndefined();
  });

  it('is refused without a look at the store', async () => {
    const { tokens, state } = setUp();
    await tokens.verify(forge({ alg: 'HS256' }, claims, 'another secret')).catch(() => undefined);
    expect(state.reads).toBe(0);
  });
});

describe('an access token on the real store', () => {
  async function issued() {
    const { store, path, clients } = await openClients();
    const state = { at: START };
    const now = () => state.at;
    const watch = store.onCommit.bind(store);
    const clientCache = createClientCache({
      load: clients.findStatus,
      watch,
      namespace: CLIENTS_NAMESPACE,
      now,
    });
    const tokens = createAccessTokens({ secret: () => SECRET, ttl: 1800, clientCache, now });
    await clients.create({ clientId: 'reader', secret: 'the first secret' });
    const verified = await clients.verifySecret('reader', 'the first secret');
    const { accessToken } = tokens.issue(verified ?? status(''));
    expect((await tokens.verify(accessToken)).clientId).toBe('reader');
    return { path, clients, tokens, accessToken, state };
  }

  it('ends at once when this process removes its client', async () => {
    const { clients, tokens, accessToken } = await issued();
    await clients.remove('reader');
    expect(tokens.peek(accessToken)).toBeUndefined();
    await expect(tokens.verify(accessToken)).rejects.toMatchObject(refused);
  });

  it('ends at once when this process changes the secret, but not when it changes rights', async () => {
    const { clients, tokens, accessToken } = await issued();
    await clients.update('reader', { accessType: 'admin' });
    expect((await tokens.verify(accessToken)).accessType).toBe('admin');
    await clients.setSecret('reader');
    await expect(tokens.verify(accessToken)).rejects.toMatchObject(refused);
  });

  it('ends within seconds when another process removes its client', async () => {
    const { path, tokens, accessToken, state } = await issued();
    await (await openClients(path)).clients.remove('reader');
    // What another process writes is seen from the next turn of the event loop on.
    await new Promise((resolve) => setImmediate(resolve));
    state.at += 3001;
    await expect(tokens.verify(accessToken)).rejects.toMatchObject(refused);
  });
});
