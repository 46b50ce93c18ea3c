// Tokens of other issuers: whom they name, and for how long.
import type { JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import { createIssuerTokens, type IssuerSettings } from '../../../src/auth/issuers/issuer-tokens.ts';
import {
  ACME,
  claimsAt,
  keySetOf,
  newKey,
  pemOf,
  publishKeys,
  type SigningKey,
  sign,
} from './identity-provider.ts';

const START = 1_700_000_000_000;

function open(...issuers: readonly IssuerSettings[]) {
  const state = { at: START };
  const lines: object[] = [];
  const log = {
    info: (fields: object) => void lines.push(fields),
    warn: (fields: object) => void lines.push(fields),
  };
  return { state, lines, tokens: createIssuerTokens({ issuers, log, now: () => state.at }) };
}

const withKey = (key: SigningKey, more: Partial<IssuerSettings> = {}) =>
  open({ ...ACME, publicKey: pemOf(key.publicKey), ...more });

const USER = {
  id: 'acme:ann',
  clientId: 'acme:ann',
  accessType: 'user',
  permissions: null,
  roles: [],
  issuer: 'acme',
};

describe('a token of another issuer', () => {
  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'] as const)(
    'that is signed with %s names its user, by published keys and by one of the configuration',
    async (alg) => {
      const key = newKey(alg);
      const { url } = await publishKeys(keySetOf(newKey('EdDSA'), key, newKey('RS256')));
      const token = await sign(claimsAt(START), { key });
      for (const { tokens } of [open({ ...ACME, jwksUrl: url }), withKey(key)]) {
        expect(tokens.peek(token)).toBeUndefined();
        expect(await tokens.verify(token)).toEqual(USER);
        expect(tokens.peek(token)).toEqual(USER);
      }
    },
  );

  it('is good from `nbf` to `exp`, with half a minute for clocks that differ', async () => {
    const key = newKey();
    const { tokens, state } = withKey(key);
    const token = await sign(claimsAt(START, { nbf: START / 1000 }), { key });
    state.at = START - 31_000;
    await expect(tokens.verify(token)).resolves.toBeUndefined();
    for (const at of [START - 30_000, START, START + 329_999]) {
      state.at = at;
      expect(await tokens.verify(token)).toEqual(USER);
      expect(tokens.peek(token)).toEqual(USER);
    }
    state.at = START + 330_000;
    expect(tokens.peek(token)).toBeUndefined();
    await expect(tokens.verify(token)).resolves.toBeUndefined();
  });

  it('may be for several audiences, and must be for ours', async () => {
    const key = newKey();
    const { tokens } = withKey(key);
    const verify = async (aud: unknown) =>
      tokens.verify(await sign(claimsAt(START, { aud: aud as string }), { key }));
    expect(await verify(['other', ACME.audience])).toEqual(USER);
    for (const aud of [
      'other',
      ['other'],
      [],
      '',
      `${ACME.audience}/`,
      undefined,
      5,
      { 0: ACME.audience },
      [[ACME.audience]],
    ])
      await expect(verify(aud), JSON.stringify(aud)).resolves.toBeUndefined();
  });

  it('must say until when it is good, and whom it names', async () => {
    const key = newKey();
    const { tokens } = withKey(key);
    const verify = async (more: JWTPayload) => tokens.verify(await sign(claimsAt(START, more), { key }));
    const subjects = [
      undefined,
      null,
      '',
      5,
      {},
      ['ann'],
      'a\u0000b',
      'a\nb',
      '\ud800',
      'a\u202eb',
      'a\u2028b',
      'x'.repeat(256),
    ];
    const ends = [undefined, null, '', '1700000300', {}, -1];
    for (const more of [...subjects.map((sub) => ({ sub })), ...ends.map((exp) => ({ exp }))])
      await expect(verify(more as JWTPayload), JSON.stringify(more)).resolves.toBeUndefined();
    for (const sub of [
      'auth0|5f7c',
      'a b',
      'é:/?#"\\',
      'x'.repeat(255),
      '\u{1F600}',
      'acme:ann',
      '__proto__',
    ])
      expect((await verify({ sub }))?.clientId).toBe(`acme:${sub}`);
  });

  it('is never remembered beyond a fixed number of characters', async () => {
    const key = newKey();
    const { tokens } = withKey(key);
    const make = (jti: number) => sign(claimsAt(START, { jti: String(jti).padEnd(11_000, 'x') }), { key });
    const first = await make(0);
    await tokens.verify(first);
    for (let n = 1; n <= 1200; n += 1) await tokens.verify(await make(n));
    expect(tokens.peek(first)).toBeUndefined();
  });
});

describe('the roles of a user of another issuer', () => {
  const rolesOf = async (roles: IssuerSettings['roles'], claims: JWTPayload) => {
    const key = newKey();
    const { tokens } = withKey(key, { roles });
    return (await tokens.verify(await sign(claimsAt(START, claims), { key })))?.roles;
  };

  it('are where the configuration says: a claim, a path into one, or segments that hold dots', async () => {
    expect(await rolesOf('groups', { groups: ['editor', 'author'] })).toEqual(['editor', 'author']);
    expect(await rolesOf('realm.roles', { realm: { roles: ['editor'] } })).toEqual(['editor']);
    expect(await rolesOf(['https://a.test/roles'], { 'https://a.test/roles': 'editor' })).toEqual(['editor']);
    expect(await rolesOf(['a.b', 'c'], { 'a.b': { c: ['d'] } })).toEqual(['d']);
    expect(await rolesOf(undefined, { roles: ['editor'] })).toEqual([]);
  });

  it('are none where the claim is missing or holds nothing that could be one', async () => {
    for (const claims of [
      {},
      { a: null },
      { a: { b: null } },
      { a: { b: 5 } },
      { a: { b: { c: 'd' } } },
      { a: 'text' },
    ])
      expect(await rolesOf('a.b', claims)).toEqual([]);
    for (const path of ['constructor.name', '__proto__', 'toString', 'a.length', 'a.0'])
      expect(await rolesOf(path, { a: 'text' })).toEqual([]);
  });

  it('leave out reserved and malformed names and repetitions', async () => {
    const names = [
      'anyone',
      'clients',
      'admin',
      '',
      'a b',
      'client:x',
      'user:acme:bob',
      'é',
      'x'.repeat(101),
      5,
      null,
      ['a'],
    ];
    expect(await rolesOf('roles', { roles: [...names, 'editor', 'editor'] })).toEqual(['editor']);
    expect(await rolesOf('roles', { roles: 'admin' })).toEqual([]);
  });

  it('are a hundred at the most: more would not be cut, since fewer may mean more rights', async () => {
    const roles = Array.from({ length: 100 }, (_, n) => `r${n}`);
    expect(await rolesOf('roles', { roles })).toHaveLength(100);
    await expect(rolesOf('roles', { roles: [...roles, 'more'] })).resolves.toBeUndefined();
  });
});

describe('the log', () => {
  it('says why tokens of an issuer are refused, once a minute for each reason, with nothing from the tokens', async () => {
    const key = newKey();
    const { tokens, lines, state } = withKey(key);
    const send = async (more: JWTPayload) =>
      tokens.verify(await sign(claimsAt(START, more), { key })).catch(() => undefined);
    for (const sub of ['', 'a\nb']) await send({ sub });
    for (const aud of ['a', 'b', 'c']) await send({ aud });
    expect(lines).toEqual([
      { issuer: 'acme', claim: 'sub', reason: expect.stringContaining('1 to 255'), suppressed: 0 },
      { issuer: 'acme', claim: 'aud', reason: 'ERR_JWT_CLAIM_VALIDATION_FAILED', suppressed: 0 },
    ]);
    state.at += 60_000;
    await send({ aud: 'd' });
    expect(lines.at(-1)).toMatchObject({ claim: 'aud', suppressed: 2 });
  });
});
