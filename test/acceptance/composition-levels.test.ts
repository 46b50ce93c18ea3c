// How deep composition goes when a request says so.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { createTestCollection, type TestCollection } from '../helpers/app/site.ts';

const person = (more = {}) => ({ type: 'Reference', settings: { collection: 'people', ...more } });

let app: TestApp;
let people: TestCollection;
let books: TestCollection;

beforeAll(async () => {
  app = await startApp({ specs: {} });
  people = await createTestCollection(app, '/1.0/library/people', { fields: { name: {}, spouse: person() } });
  books = await createTestCollection(app, '/1.0/library/books', {
    fields: { name: {}, author: person(), deep: person({ compose: true }) },
  });
});

afterAll(() => app.close());

it('composition goes as many levels as are asked for', async () => {
  let next: string | undefined;
  for (const name of 'abcd') {
    const [person] = await people.add({ name, ...(next && { spouse: next }) });
    next = person._id;
  }
  const [{ _id }] = await books.add({ name: 'x', author: next ?? null, deep: next ?? null });
  const names = (person: { name: string; spouse?: unknown }): string =>
    typeof person.spouse === 'object' ? person.name + names(person.spouse as { name: string }) : person.name;
  for (const [compose, author, deep] of [
    ['true', 'd', 'dc'],
    ['1', 'd', 'd'],
    ['2', 'dc', 'dc'],
    ['3', 'dcb', 'dcb'],
    ['all', 'dcba', 'dcba'],
    ['99', 'dcba', 'dcba'],
  ] as const) {
    const [book] = (await books.get({ compose }, `/${_id}`)).body.results;
    expect([compose, names(book.author), names(book.deep)]).toEqual([compose, author, deep]);
  }
  const updated = await app.inject('PUT', `${books.path}/${_id}?compose=2`, { body: { name: 'y' } });
  expect(names(updated.body.results[0].author)).toBe('dc');
});
