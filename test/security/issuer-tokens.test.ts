// Attacks on tokens of other issuers: every one is refused, and none makes the server ask or trust anybody else.
import { generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createIssuerTokens, type IssuerSettings } from '../../src/auth/issuers/issuer-tokens.ts';
import {
  ACME,
  claimsAt,
  forge,
  jwkOf,
  keySetOf,
  newKey,
  pemOf,
  publishKeys,
  type SigningKey,
  sign,
} from '../auth/issuers/identity-provider.ts';

const START = 1_700_000_000_000;
const log = { info: () => undefined, warn: () => undefined };
const claims = claimsAt(START);

const open = (...issuers: readonly IssuerSettings[]) =>
  createIssuerTokens({ issuers, log, now: () => START });

const rsa = newKey('RS256', 'rsa');
const ec = newKey('ES256', 'ec');
const ed = newKey('EdDSA', 'ed');
const attacker = newKey('RS256', 'rsa');

/** The issuer with three published keys, and once for each of them as the configured one. */
async function everyIssuer() {
  const server = await publishKeys(keySetOf(rsa, ec, ed));
  const configured = [rsa, ec, ed].map((key) => open({ ...ACME, publicKey: pemOf(key.publicKey) }));
  return [open({ ...ACME, jwksUrl: server.url }), ...configured];
}

async function expectRefused(...tokens: readonly string[]) {
  for (const issuer of await everyIssuer()) {
    for (const token of tokens)
      expect(await issuer.verify(token), token.slice(0, 200)).toBeOneOf([undefined, null]);
    for (const token of tokens) expect(issuer.peek(token)).toBeUndefined();
  }
}

/** Everything that somebody might take the secret of an HS256 signature from. */
const publicTexts = (key: SigningKey): (string | Buffer)[] => [
  pemOf(key.publicKey),
  pemOf(key.publicKey).trim(),
  key.publicKey.export({ type: 'spki', format: 'der' }),
  JSON.stringify(jwkOf(key)),
  Buffer.from(
    String(key.publicKey.export({ format: 'jwk' }).x ?? key.publicKey.export({ format: 'jwk' }).n),
    'base64url',
  ),
  '',
];

describe('a forged token of another issuer is refused', () => {
  it('that is signed with the public key as a shared secret', async () => {
    for (const key of [rsa, ec, ed]) {
      const headers = ['HS256', 'hs256', key.alg].map((alg) => ({ alg, kid: key.kid, typ: 'JWT' }));
      await expectRefused(
        ...publicTexts(key).flatMap((secret) => headers.map((header) => forge(header, claims, secret))),
      );
    }
  });

  it('that is not signed', async () => {
    const headers = ['none', 'None', 'NONE', '', null, undefined, 'RS256', 'ES256', 'EdDSA'].map((alg) => ({
      alg,
      kid: 'rsa',
    }));
    await expectRefused(
      ...headers.flatMap((header) => ['', 'AA', '='].map((text) => forge(header, claims, '', text))),
    );
  });

  it('that names the key of somebody else, in whatever header', async () => {
    const trap = await publishKeys(keySetOf(attacker));
    const jwk = jwkOf(attacker);
    const headers = [
      {},
      { kid: undefined },
      { jwk },
      { jwk, kid: undefined },
      { jku: trap.url },
      { jku: trap.url, kid: 'elsewhere' },
      { x5u: trap.url },
      { x5c: [attacker.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')] },
      { kid: trap.url },
    ];
    await expectRefused(
      ...(await Promise.all(headers.map((header) => sign(claims, { key: attacker, header })))),
    );
    expect(trap.asked()).toBe(0);
  });

  it('that has a key id made to be looked up somewhere', async () => {
    const ids = [
      '../../../../dev/null',
      "' OR 1=1 --",
      '__proto__',
      'constructor',
      'x'.repeat(9000),
      '\u0000',
      5,
      null,
      {},
      ['rsa'],
    ];
    const signed = await Promise.all(ids.map((kid) => sign(claims, { key: attacker, header: { kid } })));
    await expectRefused(...signed, ...ids.map((kid) => forge({ alg: 'RS256', kid }, claims, '')));
  });

  it('that uses a key with an algorithm that is not its own', async () => {
    const others = ['RS384', 'RS512', 'PS384', 'PS512'].map((alg) =>
      sign(claims, { key: rsa, header: { alg } }),
    );
    await expectRefused(
      ...(await Promise.all([...others, sign(claims, { key: ed, header: { alg: 'Ed25519' } })])),
    );
    const headers = [
      { alg: 'ES256', kid: 'rsa' },
      { alg: 'EdDSA', kid: 'ec' },
      { alg: 'RS256', kid: 'ed' },
    ];
    await expectRefused(...headers.map((header) => forge(header, claims, pemOf(rsa.publicKey))));
    // The published key says RS256, so PS256 with it is another use.
    const server = await publishKeys(keySetOf(rsa));
    const crossed = await sign(claims, { key: rsa, header: { alg: 'PS256' } });
    await expect(open({ ...ACME, jwksUrl: server.url }).verify(crossed)).resolves.toBeUndefined();
  });

  it('that asks for an extension nobody knows, or for a payload that is not encoded', async () => {
    const critical = await sign(claims, { key: ec, header: { crit: ['urn:test'], 'urn:test': 1 } });
    await expectRefused(critical, forge({ alg: 'ES256', kid: 'ec', crit: [] }, claims, ''));
    await expectRefused(forge({ alg: 'ES256', kid: 'ec', crit: ['b64'], b64: false }, claims, ''));
  });

  it('that was changed, shortened, lengthened or put together from two', async () => {
    const good = await sign(claims, { key: ec });
    const [header = '', payload = '', signature = ''] = good.split('.');
    const other = Buffer.from(JSON.stringify({ ...claims, sub: 'root' })).toString('base64url');
    await expectRefused(
      `${header}.${other}.${signature}`,
      ...[
        `${header}.${payload}.`,
        `${header}.${payload}`,
        `${good}.`,
        `${good}.x`,
        `.${good}`,
        ` ${good}`,
        `${good}\n`,
      ],
      ...[`${header}=.${payload}.${signature}`, `${header}.${payload}=.${signature}`, `${good}=`, `${good}A`],
      `${header}.${payload}.${Buffer.alloc(64).toString('base64url')}`,
    );
  });

  it('that is not a token at all, or says that it is of several issuers', async () => {
    const iss = ACME.issuer;
    const payloads = [
      [iss],
      { iss: [iss] },
      { iss: { 0: iss } },
      { ...claims, iss: `${iss} ` },
      'text',
      'null',
      iss,
      '',
    ];
    await expectRefused(...payloads.map((payload) => forge({ alg: 'ES256', kid: 'ec' }, payload, '')));
    await expectRefused('', '.', '..', '...', 'a.b.c', 'a.b.c.d.e', '\u0000.\u0000.\u0000', 'é.é.é');
    const twice = `{"iss":"other","iss":"${iss}","aud":"${ACME.audience}","sub":"root","exp":9999999999}`;
    await expectRefused(
      forge({ alg: 'ES256', kid: 'ec' }, twice, ''),
      forge('{"alg":"none","alg":"ES256"}', twice, ''),
    );
  });

  it('that is longer than 16 KB, before it is read, though its signature is good', async () => {
    const [issuer] = await everyIssuer();
    const lengthy = (length: number) => sign({ ...claims, pad: 'x'.repeat(length) }, { key: ec });
    const fits = await lengthy(11_900);
    expect(fits.length).toBeLessThan(16_384);
    expect((await issuer!.verify(fits))?.clientId).toBe('acme:ann');
    const over = await lengthy(12_100);
    expect(over.length).toBeGreaterThan(16_384);
    expect(await issuer!.verify(over)).toBeNull();
    await expectRefused(over, await lengthy(1_000_000), '.'.repeat(1_000_000), `${'['.repeat(16_000)}.a.b`);
  });
});

/** The library refuses to sign with such keys too. */
function signByHand({ kid, privateKey }: SigningKey): string {
  const text = forge({ alg: 'RS256', kid }, claims, '', '').slice(0, -1);
  return `${text}.${signBytes('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
}

describe('an issuer whose keys are', () => {
  it.each<[what: string, key: SigningKey, jwk: object]>([
    ['too short', { ...rsa, ...generateKeyPairSync('rsa', { modulusLength: 1024 }) }, {}],
    ['private', rsa, rsa.privateKey.export({ format: 'jwk' })],
    ['for encryption', rsa, { use: 'enc' }],
    ['for signing alone', rsa, { key_ops: ['sign'] }],
    ['of another algorithm', rsa, { alg: 'RS512' }],
  ])('%s has no tokens that are accepted', async (_what, key, jwk) => {
    const server = await publishKeys(JSON.stringify({ keys: [{ ...jwkOf(key), ...jwk }] }));
    await expect(open({ ...ACME, jwksUrl: server.url }).verify(signByHand(key))).resolves.toBeUndefined();
  });

  it('fit for signatures has tokens that are accepted, signed by hand like those above', async () => {
    const server = await publishKeys(keySetOf(rsa));
    expect((await open({ ...ACME, jwksUrl: server.url }).verify(signByHand(rsa)))?.clientId).toBe('acme:ann');
  });
});

describe('one of two issuers', () => {
  const other = { ...ACME, name: 'other', issuer: 'https://other.test' };
  const otherKey = newKey('ES256', 'ec');

  async function both() {
    const [first, second] = [await publishKeys(keySetOf(ec)), await publishKeys(keySetOf(otherKey))];
    return open({ ...ACME, jwksUrl: first.url }, { ...other, jwksUrl: second.url });
  }

  it('vouches for its own users alone, though both use the same key id', async () => {
    const tokens = await both();
    const verify = (iss: string, key: SigningKey) =>
      sign({ ...claims, iss }, { key }).then((token) => tokens.verify(token));
    expect((await verify(ACME.issuer, ec))?.clientId).toBe('acme:ann');
    expect((await verify(other.issuer, otherKey))?.clientId).toBe('other:ann');
    await expect(verify(ACME.issuer, otherKey)).resolves.toBeUndefined();
    await expect(verify(other.issuer, ec)).resolves.toBeUndefined();
  });

  it('cannot name a user of the other one', async () => {
    const tokens = await both();
    const token = await sign({ ...claims, iss: other.issuer, sub: 'acme:ann' }, { key: otherKey });
    expect(await tokens.verify(token)).toMatchObject({ clientId: 'other:acme:ann', issuer: 'other' });
  });
});

it('the forgeries above differ from a good token in the signature alone', async () => {
  const [issuer] = await everyIssuer();
  const [header, payload] = (await sign(claims, { key: ec })).split('.');
  expect(forge({ alg: 'ES256', kid: 'ec' }, claims, '').startsWith(`${header}.${payload}.`)).toBe(true);
  expect((await issuer!.verify(await sign(claims, { key: ec })))?.clientId).toBe('acme:ann');
});
