// The table of docs/access.md, "What a request needs": it has every route of a collection, and each row says what a caller needs.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ACCESS_ACTIONS } from '../../src/lib/access-actions.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { FORM_TYPE, formOf } from '../helpers/app/media-server.ts';
import { needsOf, PAGE } from './access-page.ts';

const ROWS = needsOf(PAGE);
const ROOT = '/1.0/library/photos';
const SECRET = 'a secret of a client';
const NO_ID = 'f'.repeat(24);

/** Each action is for the role of its name. */
const SPECIFICATION: JsonObject = {
  fields: { title: { type: 'String' } },
  settings: {
    type: 'media',
    storeRevisions: true,
    access: Object.fromEntries(ACCESS_ACTIONS.map((action) => [action, [{ to: action }]])),
  },
};

/** Bodies with which the request does something. */
const BODIES: Readonly<Record<string, JsonObject>> = {
  'PUT …': { query: { title: 'none' }, update: { title: 'x' } },
  'DELETE …': { query: { title: 'none' } },
  'PUT …/{id}': { title: 'x' },
  'POST …/{id}': { title: 'x' },
  'POST …/sign': { fileName: 'a.txt', mimetype: 'text/plain' },
  'POST …/config': SPECIFICATION,
};

const NOTES = '/1.0/library/notes';
/** The same rules for documents without files. */
const NOTES_SPECIFICATION: JsonObject = {
  ...SPECIFICATION,
  settings: { ...(SPECIFICATION['settings'] as JsonObject), type: null },
};

let app: TestApp;
const tokens = new Map<string, string>();

beforeAll(async () => {
  app = await startApp({ specs: { [ROOT.slice(1)]: SPECIFICATION, [NOTES.slice(1)]: NOTES_SPECIFICATION } });
});
afterAll(() => app.close());

/** The token of a client that has these roles and no others. */
async function tokenWith(roles: readonly string[]): Promise<string> {
  const clientId = ['client', ...roles].join('-');
  const known = tokens.get(clientId);
  if (known !== undefined) return known;
  await app.inject('POST', '/api/clients', { body: { clientId, secret: SECRET, roles } });
  const token = await app.token(clientId, SECRET);
  tokens.set(clientId, token);
  return token;
}

/** Uploads a file. */
const upload = (token: string | null) =>
  app.app.server.inject({
    method: 'POST',
    url: ROOT,
    headers: { 'content-type': FORM_TYPE, ...(token !== null && { authorization: `Bearer ${token}` }) },
    payload: formOf([{ fileName: 'a.txt', type: 'text/plain', body: 'bytes' }]),
  });

/** The record of a file of this request's own. */
async function newRecord(): Promise<{ readonly _id: string; readonly path: string }> {
  const { body } = await upload(await app.adminToken());
  return JSON.parse(body).results[0];
}

async function statusOf(method: string, path: string, token: string | null): Promise<number> {
  if (`${method} ${path}` === 'POST …') return (await upload(token)).statusCode;
  const { _id, path: filePath } = await newRecord();
  const { body } = await app.inject('GET', `${ROOT}/${_id}/history`);
  const revision: string = body.results[0]?._id ?? NO_ID;
  const url = path
    .replace('{id}', _id)
    .replace('{revisionId}', revision)
    .replace('…/{path}', `/${filePath}`)
    .replace('…', ROOT);
  const sent = BODIES[`${method} ${path}`];
  const answer = await app.inject(method, url, { token, ...(sent !== undefined && { body: sent }) });
  return answer.status;
}

const without = (actions: readonly string[], action: string) => actions.filter((other) => other !== action);

/** Path and supported methods of every route of a collection. */
async function routes(): Promise<readonly string[]> {
  const lines = app.app.server.printRoutes({ commonPrefix: false }).split('\n');
  const first = lines.findIndex((line) => / :version\/\S*\/:collection \(/.test(line));
  const base = lines[first]?.indexOf(':version') ?? 0;
  const parents = ['…'];
  const below = lines.slice(first + 1).flatMap((line) => {
    const [, tree = '', part] = /^(.*?)((?:\/|\*)\S*) \(/.exec(line) ?? [];
    if (part === undefined) return [];
    const depth = (tree.length - base) / 4;
    parents[depth] = `${parents[depth - 1]}${part === '*' ? '/*' : part}`;
    return [parents[depth]];
  });
  const paths = ['…', ...below];
  const { _id } = await newRecord();
  const methods = await Promise.all(
    paths.map(async (path) => {
      const url = path
        .replace('…', ROOT)
        .replace(':id', _id)
        .replace(':revisionId', NO_ID)
        .replace('*', 'a/b');
      const { headers } = await app.inject('OPTIONS', url);
      const allowed = String(headers['allow']).split(', ');
      return without(without(allowed, 'HEAD'), 'OPTIONS').map((method) => `${method} ${path}`);
    }),
  );
  return methods.flat();
}

describe('the table of what a request needs', () => {
  it('has every route of a collection and no other', async () => {
    const shown = ROWS.map(({ method, path }) => `${method} ${path}`);
    const served = (await routes()).map((route) =>
      route.replace('/*', '/{path}').replaceAll(/:(\w+)/g, '{$1}'),
    );
    expect(shown.toSorted()).toEqual(served.toSorted());
  });

  it.each(ROWS)('says what $method $path needs: $needs', async ({ method, path, needs }) => {
    expect(await statusOf(method, path, null)).toBe(401);
    if (needs.includes('admin')) {
      expect(await statusOf(method, path, await tokenWith(ACCESS_ACTIONS))).toBe(401);
    } else {
      expect(await statusOf(method, path, await tokenWith(needs))).toBeLessThan(400);
      for (const action of needs) {
        expect(await statusOf(method, path, await tokenWith(without(ACCESS_ACTIONS, action)))).toBe(403);
      }
    }
    expect(await statusOf(method, path, await app.adminToken())).toBeLessThan(400);
  });
});

describe('what stands below the table', () => {
  const as = async (roles: readonly string[], method: string, path: string, body?: unknown) =>
    app.inject(method, `${NOTES}${path}`, { token: await tokenWith(roles), body });
  const newNote = async (title: string): Promise<string> =>
    (await app.inject('POST', NOTES, { body: { title } })).body.results[0]._id;

  it('HEAD and OPTIONS need `read`', async () => {
    const id = await newNote('head');
    for (const method of ['HEAD', 'OPTIONS']) {
      expect((await as(['read'], method, `/${id}`)).status).toBeLessThan(300);
      expect((await as(without(ACCESS_ACTIONS, 'read'), method, `/${id}`)).status).toBe(403);
    }
  });

  it('the update of older clients needs `create` and `update`', async () => {
    await newNote('old');
    const body = { query: { title: 'old' }, update: { title: 'newer' } };
    expect((await as(['read', 'update'], 'POST', '', body)).status).toBe(403);
    expect((await as(['read', 'create'], 'POST', '', body)).status).toBe(403);
    expect((await as(['read', 'create', 'update'], 'POST', '', body)).body.results).toHaveLength(1);
  });

  it('a write by query finds only what the caller may read', async () => {
    const id = await newNote('query');
    const query = { title: 'query' };
    const updated = await as(['update'], 'PUT', '', { query, update: { title: 'changed' } });
    expect(updated.status).not.toBe(500);
    await as(['delete'], 'DELETE', '', { query });
    expect((await app.inject('GET', `${NOTES}/${id}`)).body.results[0].title).toBe('query');
    expect((await as(['read', 'delete'], 'DELETE', '', { query })).status).toBe(204);
  });

  it('`includeHistory` without `history` shows ids and no revisions', async () => {
    const id = await newNote('history');
    const historyFor = async (roles: readonly string[]) =>
      (await as(roles, 'GET', `/${id}?includeHistory=true`)).body.results[0].history;
    expect(await historyFor(['read'])).toEqual([expect.stringMatching(/^[0-9a-f]{24}$/)]);
    expect(await historyFor(['read', 'history'])).toEqual([expect.objectContaining({ title: 'history' })]);
  });

  it('a removed document is restored by who may create as well', async () => {
    const id = await newNote('removed');
    const [{ _id: revision }] = (await app.inject('GET', `${NOTES}/${id}/history`)).body.results;
    await app.inject('DELETE', `${NOTES}/${id}`);
    const path = `/${id}/revisions/${revision}/restore`;
    const needed = ['read', 'update', 'history'];
    expect((await as(needed, 'POST', path)).status).toBe(403);
    expect((await as([...needed, 'create'], 'POST', path)).status).toBe(200);
  });
});
