// Updates and deletes, with what they answer or how they are refused. Before each one the documents are those of `site.ts`.
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { SERVERS_OWN, type WriteCase } from './write-cases.ts';

const updates = (
  title: string,
  query: Json,
  update: JsonObject,
  answers: object,
  options?: JsonObject,
): WriteCase => ({
  title: `update: ${title}`,
  answers,
  call: { action: 'update', query, update, ...(options && { options }) },
});

export const UPDATES: readonly WriteCase[] = [
  updates(
    'one document',
    { name: 'A' },
    { n: 7 },
    { results: [{ name: 'a', n: 7, v: 2 }], metadata: { totalCount: 1 } },
  ),
  updates(
    'several',
    { n: { $lt: 5 } },
    { ok: null },
    {
      results: [
        { name: 'a', ok: null },
        { name: 'b', ok: null },
      ],
    },
  ),
  updates(
    'all',
    {},
    { any: 1 },
    { results: [{}, {}, {}, { any: 1 }], metadata: { totalCount: 4 } },
    { all: true },
  ),
  updates('nothing is set', { name: 'a' }, {}, { results: [{ v: 2 }] }),
  updates('$unset', { 'author.name': 'Ada' }, { n: 3, $unset: ['slug', 'day'] }, { results: [{ n: 3 }] }),
  updates(
    'what only the server writes is left out',
    { name: 'a' },
    { n: 3, ...SERVERS_OWN },
    { results: [{ v: 2, n: 3 }] },
  ),
  updates(
    'a nested document',
    { name: 'c' },
    { author: { name: 'Cy' } },
    { results: [{ author: { name: 'Cy' } }] },
  ),
  updates(
    'a nested document that changes',
    { name: 'a' },
    { author: { _id: 'id of Ada', born: 1 } },
    { results: [{ author: { born: 1 } }] },
  ),
  updates(
    'composed on request',
    { name: 'a' },
    { n: 3 },
    { results: [{ author: { name: 'Ada' } }] },
    { compose: 'all' },
  ),
  updates(
    'a large number as text',
    { n: '9007199254740991' },
    { n: 1e20 },
    { results: [{ name: 'd', n: 1e20 }] },
  ),
  updates(
    'by date',
    { day: { $gt: '2021-01-01T00:00:00.000Z' } },
    { day: null },
    { results: [{ name: 'b', day: null }] },
  ),
  {
    title: 'update: no match',
    call: { action: 'update', query: { name: 'nobody' }, update: { n: 1 }, hasNoTarget: true },
    answers: { results: [], metadata: { totalCount: 0, totalPages: 0 } },
  },
];

const rejects = (
  query: Json | undefined,
  update: Json | undefined,
  ...refused: NonNullable<WriteCase['refused']>
): WriteCase => ({
  title: `update: ${JSON.stringify([query, update]).slice(0, 90)} is refused`,
  call: {
    action: 'update',
    ...(query !== undefined && { query }),
    ...(update !== undefined && { update }),
    hasNoTarget: true,
  },
  refused,
});

const spoils = (update: JsonObject, ...refused: NonNullable<WriteCase['refused']>): WriteCase => ({
  title: `update: ${JSON.stringify(update).slice(0, 90)} is refused`,
  call: { action: 'update', query: { slug: 'a' }, update },
  refused,
});

export const REFUSED_UPDATES: readonly WriteCase[] = [
  rejects({}, { n: 1 }, ['BAD_REQUEST', 'query']),
  rejects({ $or: [{}] }, { n: 1 }, ['BAD_REQUEST', 'query']),
  rejects(undefined, { n: 1 }, ['BAD_REQUEST', 'query']),
  rejects(null, { n: 1 }, ['BAD_REQUEST', 'query']),
  rejects('a', { n: 1 }, ['BAD_REQUEST', 'query']),
  rejects([{ name: 'a' }], { n: 1 }, ['BAD_REQUEST', 'query']),
  rejects({ name: 'a' }, undefined, ['BAD_REQUEST', 'update']),
  rejects({ name: 'a' }, null, ['BAD_REQUEST', 'update']),
  rejects({ name: 'a' }, [{ n: 1 }], ['BAD_REQUEST', 'update']),
  rejects({ nme: 'a' }, { n: 1 }, ['Invalid Parameter', 'nme']),
  rejects({ n: { $gte: 'abc' } }, { n: 1 }, ['Invalid Parameter', 'n']),
  rejects({ $where: '1' }, { n: 1 }, ['Invalid Parameter', '$where']),
  spoils({ nme: 1 }, ['ERROR_NOT_IN_SCHEMA', 'nme']),
  spoils({ name: null }, ['ERROR_REQUIRED', 'name']),
  spoils({ n: 'x', day: 'soon' }, ['ERROR_VALUE_INVALID', 'n'], ['ERROR_VALUE_INVALID', 'day']),
  spoils({ slug: 'b' }, ['ERROR_UNIQUE', 'slug']),
  spoils({ $unset: ['name'] }, ['ERROR_REQUIRED', 'name']),
  spoils({ $unset: ['createdAt'] }, ['ERROR_VALUE_INVALID', 'createdAt']),
  spoils({ $unset: ['box.x'] }, ['ERROR_VALUE_INVALID', 'box.x']),
  spoils({ $unset: ['nme'] }, ['ERROR_NOT_IN_SCHEMA', 'nme']),
  spoils({ $unset: 'slug' }, ['ERROR_VALUE_INVALID', '$unset']),
  spoils({ n: 2, $unset: ['n'] }, ['ERROR_VALUE_INVALID', 'n']),
  spoils({ author: { born: 'x', name: 'Cy' } }, ['ERROR_VALUE_INVALID', 'author.born']),
  spoils({ author: { _id: 'id of Ada', v: 0, born: 1 } }, ['DOCUMENT_CHANGED', 'author']),
];

const deletes = (title: string, query: Json, answers: object, options?: JsonObject): WriteCase => ({
  title: `delete: ${title}`,
  answers,
  call: { action: 'delete', query, ...(options && { options }) },
});

const keeps = (query: Json | undefined, ...refused: NonNullable<WriteCase['refused']>): WriteCase => ({
  title: `delete: ${JSON.stringify(query)} is refused`,
  call: { action: 'delete', ...(query !== undefined && { query }) },
  refused,
});

export const DELETES: readonly WriteCase[] = [
  deletes('one document', { slug: 'A' }, { deleted: 1, deletedCount: 1, totalCount: 3 }),
  deletes('several', { n: { $in: ['1', 2] } }, { deleted: 2, totalCount: 2 }),
  deletes('all', {}, { deleted: 4, totalCount: 0 }, { all: true }),
  deletes('through a reference', { 'author.name': { $regex: '^b' } }, { deleted: 1, totalCount: 3 }),
  deletes('no match', { name: 'nobody' }, { deleted: 0, totalCount: 4 }),
];

export const REFUSED_DELETES: readonly WriteCase[] = [
  keeps({}, ['BAD_REQUEST', 'query']),
  keeps({ $and: [{}, {}] }, ['BAD_REQUEST', 'query']),
  keeps(undefined, ['BAD_REQUEST', 'query']),
  keeps(null, ['BAD_REQUEST', 'query']),
  keeps('all', ['BAD_REQUEST', 'query']),
  keeps({ nme: 1 }, ['Invalid Parameter', 'nme']),
  keeps({ day: 'soon' }, ['Invalid Parameter', 'day']),
];
