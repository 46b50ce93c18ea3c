// Reads, with what they find or how they are refused. The documents are those of `site.ts`.
import { expect } from 'vitest';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import type { DocumentCall } from './calls.ts';

export interface ReadCase {
  readonly title: string;
  readonly call: DocumentCall;
  /** The names of what is found, in order. */
  readonly finds?: readonly string[];
  /** What the body holds beside that. */
  readonly shows?: object;
  /** The code and the field of each error. */
  readonly refused?: readonly (readonly [code: string, field: string | undefined])[];
}

const found = (query: Json, ...finds: string[]): ReadCase => ({
  title: `${JSON.stringify(query)} finds ${finds.join(', ') || 'nothing'}`,
  finds,
  call: { action: 'find', query },
});

export const FILTER_CASES: readonly ReadCase[] = [
  { title: 'no query finds everything', call: { action: 'find' }, finds: ['a', 'b', 'c', 'd'] },
  found({}, 'a', 'b', 'c', 'd'),
  found({ name: 'A' }, 'a'),
  found({ text: 'FORD' }, 'a'),
  found({ text: 'éTÉ' }, 'c'),
  found({ text: 'blue' }, 'd'),
  found({ exact: 'ford' }, 'b'),
  found({ exact: 'FORD' }),
  found({ exact: null }, 'c', 'd'),
  found({ text: { $eq: 'ford' } }),
  found({ text: { $regex: '^FORD' } }, 'a', 'b'),
  found({ text: { $regex: '^FORD', $options: '' } }),
  found({ text: { $not: '/^ford/i' } }, 'c', 'd'),
  found({ text: { $not: { $regex: 'ford' } } }, 'c', 'd'),
  found({ n: '2' }, 'b'),
  found({ n: { $gt: 1, $lte: '10' } }, 'b', 'c'),
  found({ n: { $in: [1, '10', 7] } }, 'a', 'c'),
  found({ n: { $nin: [1, 2] } }, 'c', 'd'),
  found({ n: 9007199254740991 }, 'd'),
  found({ any: 9007199254740992 }, 'd'),
  found({ ok: 'true' }, 'a'),
  found({ ok: { $ne: true } }, 'b', 'c', 'd'),
  found({ ok: { $exists: false } }, 'c', 'd'),
  found({ day: '2020-01-01T01:00:00+01:00' }, 'a'),
  found({ day: { $gte: 1577836800000, $lt: '2021-01-01' } }, 'a'),
  found({ createdAt: { $gt: '2020-01-01T00:00:00.000Z' }, lastModifiedAt: null }, 'b', 'c', 'd'),
  found({ 'box.x': 2 }, 'b'),
  found({ 'box.list': { $size: 2 } }, 'a'),
  found({ any: 'text' }, 'a'),
  found({ any: 'TEXT' }, 'a'),
  found({ 'any.k.z': 2, any: { $type: 'object' } }, 'c'),
  found({ box: { x: 2 } }, 'b'),
  found({ box: { X: 2 } }),
  found({ any: { $type: 'number' } }, 'b', 'd'),
  found({ any: { $all: [5, 'five'] } }, 'b'),
  found({ 'any.k': { $elemMatch: { z: 2 } } }, 'c'),
  found({ _id: 'id of b' }, 'b'),
  found({ _id: { $in: ['id of d', 'id of a'] } }, 'a', 'd'),
  found({ oid: 'id of Ada' }, 'a'),
  found({ author: 'id of Bo' }, 'b'),
  found({ author: null }, 'c', 'd'),
  found({ 'author.name': 'ada' }, 'a'),
  found({ 'author.born': { $lt: 1900 } }, 'a'),
  found({ 'readers.name': 'Bo' }, 'a', 'b'),
  found({ readers: { $elemMatch: { born: 1815, name: 'Ada' } } }, 'a'),
  found({ $or: [{ n: 1 }, { slug: 'B' }] }, 'a', 'b'),
  found({ $nor: [{ n: 1 }, { $and: [{ n: { $gt: 1 } }, { ok: false }] }] }, 'c', 'd'),
  found({ v: 3 }, 'a'),
  found({ createdBy: 'admin', apiVersion: '1.0', n: { $lt: 3 } }, 'a', 'b'),
];

const refused = (query: Json, field: string, code = 'Invalid Parameter'): ReadCase => ({
  title: `${JSON.stringify(query).slice(0, 100)} is refused`,
  refused: [[code, field]],
  call: { action: 'find', query },
});

const deep = (levels: number): Json => (levels === 0 ? 1 : { $and: [deep(levels - 1)] });

export const REFUSED_FILTERS: readonly ReadCase[] = [
  refused({ nme: 'a' }, 'nme'),
  refused({ 'author.nme': 'a' }, 'author.nme'),
  refused({ $where: '1' }, '$where'),
  refused({ name: { $function: {} } }, '$function'),
  refused({ n: 'abc' }, 'n'),
  refused({ n: { $gte: 'abc' } }, 'n'),
  refused({ n: { $nin: [1, 'abc'] } }, 'n'),
  refused({ n: '9007199254740993' }, 'n'),
  refused({ n: { $in: [1, '-9007199254740993'] } }, 'n'),
  refused({ ok: 'perhaps' }, 'ok'),
  refused({ day: '2023-01-29 12:00' }, 'day'),
  refused({ day: { $lt: '+012345-01-01' } }, 'day'),
  refused({ createdAt: { $lt: '31/12/2020' } }, 'createdAt'),
  refused({ author: { a: 1 } }, 'author'),
  refused({ oid: 'ABC' }, 'oid'),
  refused({ text: { $regex: '(?=a)' } }, 'text'),
  refused({ text: { $regex: '(' } }, 'text'),
  refused({ text: { $not: 'ford' } }, 'text'),
  refused({ n: { $type: 'date' } }, 'n'),
  refused({ $or: {} }, '$or'),
  refused(deep(20), '$and'),
];

const LARGE = 'a'.repeat(3);

const read = (
  title: string,
  options: JsonObject,
  { query, ...expected }: Omit<ReadCase, 'title' | 'call'> & { query?: Json },
): ReadCase => ({
  title,
  ...expected,
  call: { action: 'find', ...(query !== undefined && { query }), options },
});

export const OPTION_CASES: readonly ReadCase[] = [
  read(
    'limit',
    { limit: 2 },
    { finds: ['a', 'b'], shows: { metadata: { limit: 2, totalPages: 2, nextPage: 2 } } },
  ),
  read(
    'limit 0 means the cap',
    { limit: 0 },
    { finds: ['a', 'b', 'c', 'd'], shows: { metadata: { limit: 1000 } } },
  ),
  read(
    'a large limit is cut',
    { limit: 1e15 },
    { finds: ['a', 'b', 'c', 'd'], shows: { metadata: { limit: 1000 } } },
  ),
  read(
    'a fraction is cut',
    { limit: 2.9, skip: 0.5 },
    { finds: ['a', 'b'], shows: { metadata: { limit: 2, offset: 0 } } },
  ),
  read('page', { limit: 3, page: 2 }, { finds: ['d'], shows: { metadata: { page: 2, prevPage: 1 } } }),
  read(
    'page 0 is the first',
    { limit: 3, page: 0 },
    { finds: ['a', 'b', 'c'], shows: { metadata: { page: 1 } } },
  ),
  read(
    'half a page',
    { limit: 3, page: 1.5 },
    { finds: ['a', 'b', 'c'], shows: { metadata: { page: 1, offset: 0 } } },
  ),
  read('skip', { skip: 3 }, { finds: ['d'], shows: { metadata: { offset: 3 } } }),
  read('page and skip', { limit: 1, page: 2, skip: 1 }, { finds: ['c'], shows: { metadata: { offset: 2 } } }),
  read('a page beyond all', { page: 1e15 }, { finds: [], shows: { metadata: { totalCount: 4 } } }),
  read('sort by an object', { sort: { n: -1 } }, { finds: ['d', 'c', 'b', 'a'] }),
  read('sort by two fields', { sort: { ok: 1, name: -1 } }, { finds: ['d', 'c', 'b', 'a'] }),
  read('sort by a name', { sort: 'text' }, { finds: ['d', 'a', 'b', 'c'] }),
  read('sort by a name downwards', { sort: 'name', sortOrder: -1 }, { finds: ['d', 'c', 'b', 'a'] }),
  read('sort by an unknown field', { sort: { nme: -1 } }, { finds: ['a', 'b', 'c', 'd'] }),
  read('sort through a reference is none', { sort: 'author.name' }, { finds: ['a', 'b', 'c', 'd'] }),
  read(
    'fields',
    { fields: { name: 1 } },
    { finds: ['a', 'b', 'c', 'd'], shows: { metadata: { fields: { name: 1 } } } },
  ),
  read('fields left out', { fields: { any: 0, _id: 0 } }, { finds: ['a', 'b', 'c', 'd'] }),
  read(
    'compose',
    { compose: true },
    { query: { n: 1 }, finds: ['a'], shows: { results: [{ author: { name: 'Ada' } }] } },
  ),
  read(
    'compose all',
    { compose: 'all' },
    { query: { n: 2 }, finds: ['b'], shows: { results: [{ readers: [{ born: 1950 }] }] } },
  ),
  read(
    'compose by levels',
    { compose: 1 },
    { query: { n: 1 }, finds: ['a'], shows: { results: [{ author: { name: 'Ada' } }] } },
  ),
  read('compose off', { compose: false }, { query: { n: 1 }, finds: ['a'] }),
  read(
    'history',
    {},
    {
      query: { n: 1 },
      finds: ['a'],
      shows: { results: [{ history: [expect.any(String), expect.any(String), expect.any(String)] }] },
    },
  ),
  read(
    'includeHistory',
    { includeHistory: true },
    {
      query: { n: 1 },
      finds: ['a'],
      shows: { results: [{ history: [{ v: 1 }, { v: 2, text: 'second' }, { v: 3 }] }] },
    },
  ),
  read(
    'historyFilters',
    { includeHistory: true, historyFilters: { text: 'SECOND' } },
    {
      query: { n: 1 },
      finds: ['a'],
      shows: { results: [{ history: [{ v: 2 }] }], metadata: { historyFilters: { text: 'SECOND' } } },
    },
  ),
  read(
    'everything at once',
    { limit: 1, page: 2, sort: { n: -1 }, fields: { name: 1, author: 1 }, compose: true },
    { query: { author: { $ne: null } }, finds: ['a'] },
  ),
  read('an unknown option', { lmit: LARGE }, { finds: ['a', 'b', 'c', 'd'] }),
];
