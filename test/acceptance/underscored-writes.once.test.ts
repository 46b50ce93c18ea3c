// Bodies of writes to collections whose internals have an underscore: what is no write is refused in the words of any collection.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';

let app: TestApp;
const settings = { internals: 'underscored', storeRevisions: true };
const fields = { title: { type: 'String' }, n: { type: 'Number' } };
beforeAll(async () => {
  app = await startApp({
    specs: {
      '1.0/library/books': { fields, settings },
      '1.0/library/plain': { fields, settings: { storeRevisions: true } },
    },
  });
});
afterAll(() => app.close());

const send = async (method: string, path: string, body: unknown) => {
  const { status, body: answer } = await app.inject(method, path, { body });
  return { status, answer };
};

describe('a write to a collection with underscored internals', () => {
  it.each([
    ['PUT', ['a list']],
    ['PUT', { query: {}, update: 5, all: true }],
    ['PUT', { query: 'text', update: { n: 1 } }],
    ['PUT', { query: { title: 'x' } }],
    ['PUT', { query: { title: 'x' }, update: { $unset: [5, 'title'] } }],
    ['PUT', { query: { title: 'x' }, update: { $unset: 'title' } }],
    ['DELETE', { query: 'text' }],
    ['DELETE', ['a list']],
    ['POST', 'text'],
    ['POST', [5]],
  ])('%s %j is answered as one to any other', async (method, body) => {
    const [underscored, plain] = await Promise.all([
      send(method, '/1.0/library/books', body),
      send(method, '/1.0/library/plain', body),
    ]);
    expect(underscored).toEqual(plain);
    expect(underscored.status).toBeGreaterThanOrEqual(200);
  });

  it('takes fields away by these names, restores, and removes by them', async () => {
    const created = (await send('POST', '/1.0/library/books', { title: 'a', n: 1 })).answer.results[0];
    const at = `/1.0/library/books/${created._id}`;
    const unset = await send('PUT', at, { update: { $unset: ['n', '_version'] } });
    expect(unset.status).toBe(400);
    const query = { _version: 1, title: 'a' };
    const updated = await send('PUT', '/1.0/library/books', { query, update: { $unset: ['n'] } });
    expect(updated.answer.results[0]).toMatchObject({ title: 'a', _version: 2 });
    expect(updated.answer.results[0].n).toBeUndefined();
    const restored = await send('POST', `${at}/revisions/${created._history[0]}/restore`, undefined);
    expect(restored.answer.results[0]).toMatchObject({ title: 'a', n: 1, _version: 3 });
    expect(await send('DELETE', '/1.0/library/books', { query: { _version: 3 } })).toMatchObject({
      status: 204,
    });
    const removed = await app.inject('GET', '/1.0/library/books/removed?sort=_createdAt');
    expect(JSON.stringify(removed.body)).not.toContain('"createdAt"');
  });
});
