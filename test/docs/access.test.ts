// Everything that docs/access.md shows works as it says: specifications, clients, requests in their order, and the table of what
// each request needs, which has every route of a collection.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { newKey, pemOf, sign } from '../auth/issuers/identity-provider.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';
import { clientsOf, otherJsonOf, PAGE, requestsOf, specificationsOf } from './access-page.ts';
import { createRequestChecker } from './shown-requests.ts';

const SECRET = 'correct horse';
const KEY = newKey();
const CLAIMS = otherJsonOf(PAGE).get('iss') ?? {};

/** The configuration of the page, with a key of the test in place of the URL. */
function configuration(): JsonObject {
  const { auth } = otherJsonOf(PAGE).get('auth') as { auth: { issuers: [JsonObject] } };
  const { jwksUrl: _url, ...issuer } = auth.issuers[0];
  return { auth: { issuers: [{ ...issuer, publicKey: pemOf(KEY.publicKey) }] } };
}

/** The token of a user of the provider: its roles are in the claims of the page, if these are of this user. */
function userToken(sub: string): Promise<string> {
  const { realm_access: roles, ...claims } = CLAIMS;
  return sign({ ...claims, sub, ...(sub === claims['sub'] && { realm_access: roles }) }, { key: KEY });
}

let app: TestApp;
const tokens = new Map<string, string | null>([['nobody', null]]);

beforeAll(async () => {
  app = await startApp({ specs: specificationsOf(PAGE), config: configuration() });
  tokens.set('admin', await app.adminToken());
  for (const client of clientsOf(PAGE)) {
    const { status } = await app.inject('POST', '/api/clients', { body: { ...client, secret: SECRET } });
    expect([client.clientId, status]).toEqual([client.clientId, 201]);
  }
});
afterAll(() => app.close());

async function tokenOf(caller: string): Promise<string | null> {
  const [issuer = '', sub] = caller.split(':');
  const known = tokens.get(caller);
  if (known !== undefined) return known;
  const token = await (sub === undefined ? app.token(issuer, SECRET) : userToken(sub));
  tokens.set(caller, token);
  return token;
}

const check = createRequestChecker(() => app, tokenOf);

describe('docs/access.md', () => {
  it.each(requestsOf(PAGE))('$heading: $line', check);

  it('shows the body of a refusal', async () => {
    const body = { name: 'Alan', phone: '555-02' };
    const answer = await app.inject('POST', '/1.0/blog/people', { token: await tokenOf('ann'), body });
    expect(answer.body).toEqual(otherJsonOf(PAGE).get('statusCode'));
  });

  it('has a request for every specification, and a caller for every client', () => {
    const lines = requestsOf(PAGE);
    const paths = Object.keys(specificationsOf(PAGE));
    expect(paths.length).toBeGreaterThanOrEqual(8);
    expect(paths.filter((path) => !lines.some(({ target }) => target.startsWith(`/${path}`)))).toEqual([]);
    const callers = new Set(lines.map(({ caller }) => caller));
    expect(clientsOf(PAGE).filter(({ clientId }) => !callers.has(clientId))).toEqual([]);
  });

  it('has specifications that the server loads, with no warning but the one that it shows', async () => {
    for (const [path, body] of Object.entries(specificationsOf(PAGE))) {
      const answer = await app.inject('POST', `/${path}/config`, { body });
      expect([path, answer.status]).toEqual([path, 200]);
      for (const warning of answer.body.warnings ?? []) expect(PAGE).toContain(warning);
    }
  });

  it('links to pages and headings that exist', () => {
    const links = [...PAGE.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
    expect(links.length).toBeGreaterThan(10);
    const own = new Set(
      [...PAGE.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\w\s-]/g, '')
          .replaceAll(' ', '-'),
      ),
    );
    const broken = links.filter(([, path, heading = '']) =>
      path ? !existsSync(join(ROOT, 'docs', path)) : !own.has(heading),
    );
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});
