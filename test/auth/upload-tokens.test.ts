// Upload tokens: only ours, only until they expire, only while the client that signed stands as it did.
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAccessTokens } from '../../src/auth/access-tokens.ts';
import type { ClientStatus } from '../../src/auth/clients/client-record.ts';
import { createUser } from '../../src/auth/issuers/issuer-user.ts';
import { createUploadTokens } from '../../src/auth/upload-tokens.ts';

const SECRET = 'a secret of at least thirty-two characters';
const START = 1_700_000_000_123;
const COLLECTION = { version: '1.0', database: 'library', name: 'images' };
const FILE = { collection: COLLECTION, fileName: 'test.jpg', mimetype: 'image/jpeg', lifetime: undefined };

const status = (stamp: string): ClientStatus => ({
  client: { id: '0'.repeat(24), clientId: 'reader', accessType: 'user', permissions: null, roles: [] },
  secretVersion: stamp,
});

function setUp(expiresIn: number | string = '1h') {
  const state = { at: START, stored: status('s1') as ClientStatus | undefined };
  const clientCache = { get: async () => state.stored };
  const now = () => state.at;
  const issuerNames = ['acme'];
  const tokens = createUploadTokens({ secret: async () => SECRET, expiresIn, clientCache, issuerNames, now });
  const sign = (lifetime?: number, fileName = 'test.jpg') =>
    tokens.sign({ ...FILE, client: status('s1').client, fileName, lifetime });
  return { state, tokens, sign, now };
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const payloadOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

function forge(header: object, payload: object, secret = SECRET, hash = 'sha256'): string {
  const text = `${encode(header)}.${encode(payload)}`;
  return `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`;
}

const HS256 = { alg: 'HS256', typ: 'JWT' };
const invalid = {
  code: 'UPLOAD_TOKEN_INVALID',
  status: 400,
  body: { name: 'JsonWebTokenError', message: 'invalid token' },
};

describe('a signed upload token', () => {
  it('says what it allows, and who signed', async () => {
    const { tokens, sign } = setUp();
    const { token, expiresAt } = await sign();
    expect(expiresAt).toBe(START + 3_600_000);
    expect(await tokens.verify(token)).toEqual({
      tokenId: expect.stringMatching(/^[0-9a-f]{24}$/),
      expiresAt,
      fileName: 'test.jpg',
      mimetype: 'image/jpeg',
      signedBy: 'reader',
      signer: status('s1').client,
      collection: COLLECTION,
    });
  });

  it('expires exactly at expiresAt, whatever the fraction of its second', async () => {
    for (const offset of [0, 1, 333, 499, 501, 876]) {
      const { tokens, sign, state } = setUp();
      state.at = START + offset;
      const { token, expiresAt } = await sign(1000);
      expect(expiresAt).toBe(state.at + 1000);
      state.at = expiresAt - 1;
      expect((await tokens.verify(token)).expiresAt).toBe(expiresAt);
      state.at = expiresAt;
      await expect(tokens.verify(token)).rejects.toMatchObject({
        code: 'UPLOAD_TOKEN_EXPIRED',
        body: {
          name: 'TokenExpiredError',
          message: 'jwt expired',
          expiredAt: new Date(expiresAt).toISOString(),
        },
      });
    }
  });

  it('lasts as configured where nothing is asked for', async () => {
    expect((await setUp('2 days').sign()).expiresAt).toBe(START + 172_800_000);
    expect((await setUp(90).sign()).expiresAt).toBe(START + 90_000);
  });

  it('has an id that begins with the second of its expiry', async () => {
    const { sign } = setUp();
    const [{ token, expiresAt }, other] = await Promise.all([sign(), sign()]);
    const { jti } = payloadOf(token);
    expect(Number.parseInt(jti.slice(0, 8), 16)).toBe(Math.floor(expiresAt / 1000));
    expect(payloadOf(other.token).jti).not.toBe(jti);
  });

  it('is good for the longest name, address and client id', async () => {
    const { tokens } = setUp();
    const collection = { version: 'v'.repeat(200), database: 'd'.repeat(63), name: 'n'.repeat(200) };
    const long = { collection, fileName: '"'.repeat(1024), mimetype: 'm'.repeat(255), lifetime: undefined };
    const client = { ...status('s1').client, clientId: 'c'.repeat(200) };
    const { token } = await tokens.sign({ ...long, client });
    expect((await tokens.verify(token)).collection).toEqual(collection);
    const roles = Array.from({ length: 100 }, (_, n) => String(n).padEnd(100, 'r'));
    const user = createUser('acme', `acme:${'\u{1F600}'.repeat(127)}`, roles);
    const signed = await tokens.sign({ ...long, client: user });
    expect((await tokens.verify(signed.token)).signer).toEqual(user);
  });

  it('of a user of another issuer keeps the roles of its signing, for as long as the issuer is configured', async () => {
    const { tokens, state } = setUp();
    state.stored = undefined;
    const user = createUser('acme', 'acme:ann', ['editor', 'author']);
    const { token } = await tokens.sign({ ...FILE, client: user });
    expect(await tokens.verify(token)).toMatchObject({ signedBy: 'acme:ann', signer: user });
    const { token: other } = await tokens.sign({ ...FILE, client: createUser('gone', 'gone:ann', []) });
    await expect(tokens.verify(other)).rejects.toMatchObject(invalid);
  });

  it('ends when its client is removed or has another secret', async () => {
    const { tokens, sign, state } = setUp();
    const { token } = await sign();
    state.stored = status('s2');
    await expect(tokens.verify(token)).rejects.toMatchObject(invalid);
    state.stored = undefined;
    await expect(tokens.verify(token)).rejects.toMatchObject(invalid);
    await expect(sign()).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
  });
});

describe('the check of an upload token', () => {
  it('rejects a token that was changed or signed with another secret', async () => {
    const { tokens, sign } = setUp();
    const { token } = await sign();
    const payload = payloadOf(token);
    const [header = '', body = '', signature = ''] = token.split('.');
    const changed = encode({ ...payload, fileName: 'evil.html' });
    const bad = [
      '',
      'x',
      'a.b.c',
      `${token}x`,
      token.slice(0, -2),
      `${header}.${body}`,
      `${header}.${body}.`,
      `${header}.${changed}.${signature}`,
      `${header}.${changed}.`,
      `${encode({ alg: 'none', typ: 'JWT' })}.${body}.`,
      `${encode({ alg: 'none', typ: 'JWT' })}.${body}.${signature}`,
      forge(HS256, payload, 'another secret of thirty-two characters'),
      forge(HS256, payload, ''),
      forge({ ...HS256, alg: 'HS512' }, payload, SECRET, 'sha512'),
      forge({ ...HS256, alg: 'RS256' }, payload),
      forge({ ...HS256, alg: 'hs256' }, payload),
      '.'.repeat(8000),
      'x'.repeat(100_000),
    ];
    for (const one of bad) await expect(tokens.verify(one)).rejects.toMatchObject(invalid);
    expect((await tokens.verify(forge(HS256, payload))).fileName).toBe('test.jpg');
  });

  it('rejects a well-signed token with claims of another form', async () => {
    const { tokens, sign } = setUp();
    const payload = payloadOf((await sign()).token);
    const bad = [
      { ...payload, aud: 'cloister:access' },
      { ...payload, aud: undefined },
      { ...payload, jti: undefined },
      { ...payload, jti: 'x' },
      { ...payload, exp: undefined },
      { ...payload, sub: undefined },
      { ...payload, stamp: undefined },
      { ...payload, fileName: ['test.jpg'] },
      { ...payload, mimetype: undefined },
      { ...payload, collection: undefined },
      { ...payload, collection: null },
      { ...payload, collection: { ...COLLECTION, name: 7 } },
    ];
    for (const one of bad) {
      await expect(tokens.verify(forge(HS256, one)), JSON.stringify(one)).rejects.toMatchObject(invalid);
    }
  });

  it('tells upload tokens and access tokens apart where one secret signs both', async () => {
    const { tokens, sign, state, now } = setUp();
    const clientCache = {
      get: async () => state.stored,
      peek: () => state.stored,
      clear: () => undefined,
      close: () => undefined,
    };
    const access = createAccessTokens({ secret: () => SECRET, ttl: 1800, clientCache, now });
    const { accessToken } = access.issue(status('s1'));
    await expect(tokens.verify(accessToken)).rejects.toMatchObject(invalid);
    await expect(access.verify((await sign()).token)).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
    state.at += 2_000_000;
    await expect(tokens.verify(accessToken)).rejects.toMatchObject(invalid);
  });
});
