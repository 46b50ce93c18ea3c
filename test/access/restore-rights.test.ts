// What a restore needs: the rights to read, to update and to see histories, each of them; and the precondition of a removed document.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';

const ANYONE = [{ to: 'anyone' }];
const ALL = { read: ANYONE, create: ANYONE, update: ANYONE, history: ANYONE };

const specification = (missing: string): JsonObject => ({
  fields: { title: { type: 'String' } },
  settings: { storeRevisions: true, access: { ...ALL, [missing]: [] } },
});
const NAMES = ['read', 'update', 'history', 'create', 'nothing'] as const;

let app: TestApp;
beforeAll(async () => {
  const specs = NAMES.map((name) => [
    `1.0/library/without_${name}`,
    name === 'nothing' ? specification('delete') : specification(name),
  ]);
  app = await startApp({ specs: Object.fromEntries(specs) });
});
afterAll(() => app.close());

/** The address of a restore to the first state of a document, which may be removed since. */
async function restoreOf(name: (typeof NAMES)[number], { isRemoved = false } = {}): Promise<string> {
  const path = `/1.0/library/without_${name}`;
  const made = await app.inject('POST', path, { body: { title: 'first' } });
  const { _id } = (made.body as { results: [{ _id: string }] }).results[0];
  await app.inject('PUT', `${path}/${_id}`, { body: { title: 'last' } });
  const { body } = await app.inject('GET', `${path}/${_id}/history`);
  const [first] = (body as { results: { _id: string }[] }).results;
  if (isRemoved) await app.inject('DELETE', `${path}/${_id}`);
  return `${path}/${_id}/revisions/${first?._id}/restore`;
}

test.each(['read', 'update', 'history'] as const)(
  'without the right %s nothing is restored',
  async (name) => {
    const path = await restoreOf(name);
    expect((await app.inject('POST', path, { token: null })).status).toBe(401);
    expect((await app.inject('POST', path, { token: await app.userToken(`user-${name}`) })).status).toBe(403);
  },
);

test('without the right to create a removed document stays away', async () => {
  const path = await restoreOf('create', { isRemoved: true });
  expect((await app.inject('POST', path, { token: await app.userToken('user-create') })).status).toBe(403);
});

test('with all rights a document gets its state back, and a removed one comes back', async () => {
  const token = await app.userToken('user-nothing');
  for (const isRemoved of [false, true]) {
    const { status, body } = await app.inject('POST', await restoreOf('nothing', { isRemoved }), { token });
    expect([status, body]).toMatchObject([200, { results: [{ title: 'first' }] }]);
  }
});

test('a removed document has no state that a precondition could name', async () => {
  const path = await restoreOf('nothing', { isRemoved: true });
  const token = await app.userToken('user-condition');
  expect((await app.inject('POST', path, { token, headers: { 'if-match': '"2"' } })).status).toBe(412);
});
