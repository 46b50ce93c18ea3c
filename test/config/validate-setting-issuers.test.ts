// What a start says about `auth.issuers`: every problem at once, each with the item and the member.
import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import type { Json } from '../../src/lib/json/json.ts';

const PUBLIC_KEY = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' });
const ISSUER = { name: 'acme', issuer: 'https://login.acme.test', audience: 'content' };
const JWKS = { ...ISSUER, jwksUrl: 'https://login.acme.test/jwks' };

async function load(issuers: Json) {
  const env = { CLOISTER_AUTH_ISSUERS: typeof issuers === 'string' ? issuers : JSON.stringify(issuers) };
  const { config, issues } = await loadConfig({ flags: {}, env, cwd: '/nowhere' });
  return { issuers: config.auth.issuers, issues: issues.map(({ message }) => message) };
}

it('an issuer has its keys behind a URL or in the configuration, and roles in a claim or in none', async () => {
  const issuers = [
    JWKS,
    { ...ISSUER, name: 'b-2', issuer: 'b', publicKey: PUBLIC_KEY.toString(), roles: 'realm_access.roles' },
    {
      ...JWKS,
      name: 'C',
      issuer: 'c',
      jwksUrl: 'http://127.0.0.1:9000/k?a=b',
      roles: ['https://c.test/roles'],
    },
  ];
  expect(await load(issuers)).toEqual({ issuers, issues: [] });
  expect(await load([])).toEqual({ issuers: [], issues: [] });
});

it.each<[problem: string, issuers: Json, message: string | RegExp]>([
  ['is no list', 'acme', 'item 1 must be an object'],
  ['is a list of lists', [[JWKS]], 'item 1 must be an object'],
  ['lacks a member', [{ ...JWKS, audience: null }], 'item 1: audience must be text'],
  ['has no name', [{ issuer: 'a', audience: 'b', jwksUrl: JWKS.jwksUrl }], 'item 1: name is missing'],
  ['has an unknown member', [JWKS, { ...JWKS, role: 'a' }], 'item 2: role is unknown: did you mean `roles`?'],
  [
    'has a name with a colon',
    [{ ...JWKS, name: 'a:b' }],
    /^item 1: name must be 1 to 50 letters, digits and -$/,
  ],
  ['has an empty name', [{ ...JWKS, name: '' }], /^item 1: name must be/],
  [
    'has keys behind http',
    [{ ...JWKS, jwksUrl: 'http://login.acme.test/jwks' }],
    /^item 1: jwksUrl must be an https/,
  ],
  [
    'has a password in its URL',
    [{ ...JWKS, jwksUrl: 'https://a:b@c/jwks' }],
    /^item 1: jwksUrl must be an https/,
  ],
  ['has a URL of a file', [{ ...JWKS, jwksUrl: 'file:///etc/jwks' }], /^item 1: jwksUrl must be an https/],
  [
    'has a secret for a key',
    [{ ...ISSUER, publicKey: 'x'.repeat(64) }],
    /^item 1: publicKey must be a public key/,
  ],
  ['has roles that are a number', [{ ...JWKS, roles: 5 }], /^item 1: roles must be the path of a claim/],
  ['has an empty path of roles', [{ ...JWKS, roles: [] }], /^item 1: roles must be the path of a claim/],
  [
    'has a path with an empty segment',
    [{ ...JWKS, roles: 'a..b' }],
    /^item 1: roles must be the path of a claim/,
  ],
  ['has no keys', [ISSUER], 'item 1 needs either jwksUrl or publicKey, and has neither'],
  [
    'has keys twice',
    [{ ...JWKS, publicKey: PUBLIC_KEY.toString() }],
    'item 1 needs either jwksUrl or publicKey, and has both',
  ],
  ['has a name twice', [JWKS, { ...JWKS, issuer: 'b' }], 'item 2: name is that of item 1 too'],
  ['has an issuer twice', [JWKS, { ...JWKS, name: 'b' }], 'item 2: issuer is that of item 1 too'],
])(
  'a configuration that %s does not start, and the message says where',
  async (_problem, issuers, message) => {
    const { issues } = await load(issuers);
    expect(issues).toEqual([typeof message === 'string' ? message : expect.stringMatching(message)]);
  },
);

it('messages never repeat a value: it may be a private key that was pasted by mistake', async () => {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const { issues } = await load([{ ...ISSUER, publicKey: pem }]);
  expect(issues).toHaveLength(1);
  expect(issues[0]).not.toContain(pem.split('\n')[1]);
});

it('the configured admin has no id that a user of an issuer may have', async () => {
  const issuesFor = async (id: string) => {
    const env = {
      CLOISTER_AUTH_ISSUERS: JSON.stringify([JWKS]),
      CLOISTER_ADMIN_ID: id,
      CLOISTER_ADMIN_SECRET: 'a secret',
    };
    const { issues } = await loadConfig({ flags: {}, env, cwd: '/nowhere' });
    return issues.map((issue) => [issue.setting, issue.message]);
  };
  expect(await issuesFor('acme:ann')).toEqual([
    [
      'auth.admin.id',
      'begins with acme: as ids of users of the issuer acme do; choose another one (CLOISTER_ADMIN_ID)',
    ],
  ]);
  for (const id of ['acme', 'acme2:ann', 'Acme:ann']) expect(await issuesFor(id)).toEqual([]);
});
