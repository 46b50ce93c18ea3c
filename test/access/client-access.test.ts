// What an admin is told that a client may do with a document is what the client may do: for generated rules, documents and clients.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { CALLERS, type CallerName, createCallers, type Tokens } from './model/callers.ts';
import { toSource } from './model/world.ts';
import { newBody } from './random/requests.ts';
import { specification } from './random/specifications.ts';

const BOOKS = '/1.0/library/books';
const UNKNOWN = 'e'.repeat(24);
const RUNS = 12;

let app: TestApp;
let tokens: Tokens;
beforeAll(async () => {
  app = await startApp({ specs: {} });
  tokens = await createCallers(app);
});
afterAll(() => app.close());

const explain = async (clientId: string, path: string, id?: string) =>
  app.inject(
    'GET',
    `/api/clients/${clientId}/access?path=${path}${id === undefined ? '' : `&document=${id}`}`,
  );
const specify = async (path: string, body: JsonObject) =>
  expect((await app.inject('POST', `${path}/config?force=true`, { body })).status).toBe(200);

/** A precondition that no document meets is looked at after the rights: 412 where the write was allowed. */
const NEVER = { 'if-match': '"999"' };

/** What the client is answered when it tries, without changing anything. */
async function tried(token: string | null, id: string): Promise<JsonObject> {
  const status = async (method: string, path: string, options = {}) =>
    (await app.inject(method, path, { token, ...options })).status;
  const at = `${BOOKS}/${id}`;
  const yes = (isAllowed: boolean) => (isAllowed ? 'yes' : 'no');
  return {
    read: yes((await status('GET', at)) === 200),
    update: yes((await status('PUT', at, { body: { title: 'a' }, headers: NEVER })) === 412),
    delete: yes((await status('DELETE', at, { headers: NEVER })) === 412),
    history: yes((await status('GET', `${at}/history`)) === 200),
  };
}

async function compare(ids: readonly string[]): Promise<void> {
  for (const [name, { clientId }] of Object.entries(CALLERS)) {
    if (clientId === null) continue;
    const token = tokens[name as CallerName] as string;
    for (const id of ids) {
      const { body } = await explain(clientId, BOOKS, id);
      const { create: _create, ...actions } = body.actions as Record<string, JsonObject>;
      const told = Object.fromEntries(
        Object.entries(actions).map(([action, { allowed }]) => [action, allowed]),
      );
      expect([name, id, told]).toEqual([name, id, await tried(token, id)]);
      const because = Object.values(actions).map((one) => one['because']);
      expect(because.filter((text) => typeof text !== 'string' || text === '')).toEqual([]);
    }
  }
}

describe('what a client may do with a document', () => {
  it('is told as a request of the client is answered', async () => {
    const world = fc.record({
      books: specification('books'),
      people: specification('people'),
      documents: fc.array(newBody, { minLength: 3, maxLength: 5 }),
    });
    let serial = 0;
    await fc.assert(
      fc.asyncProperty(world, async ({ books, people, documents }) => {
        await app.inject('DELETE', BOOKS, { body: { query: {}, all: true } });
        await specify('/1.0/library/people', toSource(people) as JsonObject);
        await specify(BOOKS, toSource(books) as JsonObject);
        const ids: string[] = [];
        for (const { ref: _ref, ...body } of documents) {
          serial += 1;
          const answer = await app.inject('POST', BOOKS, { body: { ...body, serial } });
          ids.push(answer.body.results[0]._id);
        }
        await app.inject('DELETE', `${BOOKS}/${ids[0]}`);
        await compare([...ids, UNKNOWN]);
      }),
      { numRuns: RUNS, seed: 7 },
    );
  });

  it('comes with the rule or the permission that decides, the fields, and the hooks that may say otherwise', async () => {
    const path = '/1.0/library/notes';
    await specify(path, {
      fields: { owner: {}, salary: { access: { read: ['boss'], write: ['boss'] } } },
      settings: {
        defaultFilters: { owner: { $ne: 'hidden' } },
        access: {
          read: [{ to: 'editors' }, { to: 'clients', where: { owner: { $caller: 'clientId' } } }],
          update: [{ to: 'clients', where: { owner: { $caller: 'clientId' } } }],
          create: [{ to: 'clients', where: { owner: { $caller: 'clientId' } } }],
        },
      },
    });
    const make = async (owner: string) =>
      (await app.inject('POST', path, { body: { owner } })).body.results[0]._id as string;
    const [mine, theirs, hidden] = [await make('ann'), await make('bob'), await make('hidden')];
    const { body } = await explain('ann', path, mine);
    expect(body).toMatchObject({ clientId: 'ann', path, document: mine, state: 'present' });
    expect(body.actions).toEqual({
      read: { allowed: 'yes', because: 'Rule 2 of `settings.access.read` allows it' },
      create: {
        allowed: 'some',
        because:
          'Rule 1 of `settings.access.create` is for this client, and for the documents that match `where`',
      },
      update: { allowed: 'yes', because: 'Rule 1 of `settings.access.update` allows it' },
      delete: { allowed: 'no', because: 'No rule of `settings.access.delete` is for this client' },
      history: { allowed: 'yes', because: 'Rule 1 of `settings.access.update` allows it' },
    });
    expect([body.hidden, body.closed, body.hooks]).toEqual([['salary'], ['salary'], []]);
    const because = async (clientId: string, id: string, action: string) =>
      (await explain(clientId, path, id)).body.actions[action].because;
    expect(await because('ann', theirs, 'read')).toBe(
      'Rule 2 of `settings.access.read` is for this client, and not for this document: it does not match `where`',
    );
    expect(await because('editor', hidden, 'read')).toContain('default filters');
    expect(await because('reader', mine, 'update')).toBe('The permissions of the client do not include this');
    expect(await because('admin', mine, 'delete')).toBe('Admins may do everything');
    expect(await because('editor', UNKNOWN, 'read')).toBe('There is no such document');
    const general = (await explain('editor', path)).body;
    expect(general.actions.read.allowed).toBe('yes');
    expect(general).not.toHaveProperty('state');
  });

  it('is told to admins alone, about what there is', async () => {
    await specify('/1.0/library/notes', { fields: { owner: {} }, settings: {} });
    const asked = '/api/clients/ann/access?path=/1.0/library/notes';
    expect((await app.inject('GET', asked, { token: tokens['ann'] as string })).status).toBe(401);
    expect((await app.inject('GET', asked, { token: null })).status).toBe(401);
    expect((await explain('nobody', '/1.0/library/notes')).status).toBe(404);
    const wrong = await explain('ann', '/1.0/library/nothing');
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([400, 'path']);
    const odd = await explain('ann', '/1.0/library/notes', 'x');
    expect([odd.status, odd.body.errors[0].field]).toEqual([400, 'document']);
  });
});
