import { expect, test } from 'vitest';
import { resolveReferences } from '../../../src/collections/filters/resolve-references.ts';
import type { Filter } from '../../../src/stores/filter.ts';
import type { FindQuery, Namespace, StoredDocument } from '../../../src/stores/ports.ts';
import { draftOf, PEOPLE } from './sample.ts';

const ids = ['a', 'b', 'c'].map((letter) => letter.repeat(24));

function storeOf(found: readonly string[]) {
  const asked: [Namespace, FindQuery][] = [];
  const find = async (ns: Namespace, query: FindQuery): Promise<readonly StoredDocument[]> => {
    asked.push([ns, query]);
    return found.slice(0, query.limit).map((_id) => ({ _id }));
  };
  return { asked, store: { find } };
}

const born: Filter = { kind: 'field', path: 'born', tests: [{ kind: 'eq', value: 1 }] };
const among = (path: string): Filter => ({ kind: 'field', path, tests: [{ kind: 'in', values: ids }] });

test('a filter without references is settled at once', () => {
  const { store, asked } = storeOf([]);
  expect(resolveReferences(draftOf({ title: 'a' }), { store, maxReferences: 1 })).toMatchObject({
    path: 'title',
  });
  expect(asked).toEqual([]);
});

test('references are looked up innermost first, all ids of them', async () => {
  const { store, asked } = storeOf(ids);
  const draft = draftOf({ $or: [{ 'author.friend.born': 1 }, { pages: 1 }] });
  expect(await resolveReferences(draft, { store, maxReferences: 6, deadline: 7 })).toMatchObject({
    kind: 'or',
    filters: [among('author'), { path: 'pages' }],
  });
  expect(asked.map(([ns, query]) => [ns, query.filter])).toEqual([
    [PEOPLE.namespace, born],
    [PEOPLE.namespace, among('friend')],
  ]);
});

const isList = (path: string): Filter => ({
  kind: 'field',
  path,
  tests: [{ kind: 'type', names: ['array'] }],
});

test('null is looked up twice: what leads to another document is told from what leads nowhere', async () => {
  const { store, asked } = storeOf(ids);
  const nameless: Filter = { kind: 'field', path: 'born', tests: [{ kind: 'eq', value: null }] };
  expect(await resolveReferences(draftOf({ 'author.born': null }), { store, maxReferences: 6 })).toEqual({
    kind: 'or',
    filters: [among('author'), { kind: 'nor', filters: [isList('author'), among('author')] }],
  });
  expect(asked.map(([, query]) => query.filter)).toEqual([nameless, { kind: 'nor', filters: [nameless] }]);
});

test('an element of a list is asked of lists alone', async () => {
  const { store } = storeOf(ids);
  const draft = draftOf({ author: { $elemMatch: { born: 1 } } });
  expect(await resolveReferences(draft, { store, maxReferences: 3 })).toEqual({
    kind: 'and',
    filters: [isList('author'), among('author')],
  });
});

test('all look-ups of a filter share one bound', async () => {
  const { store } = storeOf(ids);
  const draft = draftOf({ $and: [{ 'author.born': 1 }, { 'author.born': 1 }] });
  await expect(resolveReferences(draft, { store, maxReferences: 5 })).rejects.toMatchObject({
    code: 'FILTER_INVALID',
    items: [{ field: 'author', message: expect.stringContaining('more than 5') }],
  });
});
