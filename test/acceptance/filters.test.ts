// Filters over the whole application: what each finds, and in which words the others are refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { createTestCollection, type TestCollection } from '../helpers/app/site.ts';

const ID = '0123456789abcdef01234567';
const FIELDS = {
  name: { type: 'String' },
  code: { type: 'String', matchType: 'exact' },
  synonym: { type: 'String', matchType: 'ignoreCase' },
  odd: { type: 'String', matchType: 'fuzzy' },
  pages: { type: 'Number' },
  open: { type: 'Boolean' },
  at: { type: 'DateTime' },
  box: { type: 'Object' },
  any: { type: 'Mixed' },
  shelf: { type: 'ObjectID' },
  friend: { type: 'Reference', settings: { collection: 'things' } },
};

let app: TestApp;
let things: TestCollection;
/** Has one document and keeps no revisions. */
let bare: TestCollection;
let lone: Json;

beforeAll(async () => {
  app = await startApp({ specs: {} });
  things = await createTestCollection(app, '/1.0/library/things', { fields: FIELDS });
  bare = await createTestCollection(app, '/1.0/library/bare', {
    fields: FIELDS,
    settings: { storeRevisions: false },
  });
  [{ _id: lone }] = await bare.add({ name: 'lone' });
  const [alpha] = await things.add({
    name: 'Alpha',
    code: 'Aa',
    synonym: 'Aa',
    odd: 'Aa',
    pages: 10,
    open: true,
    at: '2024-05-01T12:00:00+02:00',
    box: { colour: 'Red', size: { w: 1 } },
    any: 'Text',
    shelf: ID,
  });
  await things.add(
    {
      name: 'beta',
      pages: 20,
      open: false,
      box: [{ colour: 'red' }, { colour: 'blue' }],
      any: 5,
      code: null,
    },
    { name: 'ALPHABET', pages: 30, any: { a: 1, b: 2 }, friend: alpha._id },
    { name: ['Gamma', 'Delta'], any: ['Text', 1], friend: [ID, alpha._id] },
    { name: 'stra\u00dfe', any: null },
    { name: 'nul\u0000nul', any: { b: 2, a: 1 } },
    { name: ID, any: '\ud83d\ude00' },
    { name: 'caf\u00e9' },
    { name: '1984', any: 'zz' },
  );
});

afterAll(() => app.close());

const FOUND: readonly (readonly [Json, readonly unknown[]])[] = [
  [{ name: 'alpha' }, ['Alpha']],
  [{ name: 'ALPHABET' }, ['ALPHABET']],
  [{ name: 'gamma' }, [['Gamma', 'Delta']]],
  [{ name: 'STRASSE' }, []],
  [{ name: 'STRA\u1e9eE' }, ['stra\u00dfe']],
  [{ name: 'cafe' }, []],
  [{ name: 'cafe\u0301' }, []],
  [{ name: 'CAF\u00c9' }, ['caf\u00e9']],
  [{ name: 'NUL\u0000nul' }, ['nul\u0000nul']],
  [{ name: ID }, [ID]],
  [{ code: 'aa' }, []],
  [{ code: 'Aa' }, ['Alpha']],
  [{ synonym: 'aA' }, ['Alpha']],
  [{ odd: 'aA' }, ['Alpha']],
  [{ name: { $eq: 'alpha' } }, []],
  [{ name: { $eq: 'Alpha' } }, ['Alpha']],
  [{ name: { $in: ['alpha', 'beta'] } }, ['beta']],
  [{ name: { $all: ['Delta', 'Gamma'] } }, [['Gamma', 'Delta']]],
  [{ name: { $size: 2 } }, [['Gamma', 'Delta']]],
  [{ name: { $elemMatch: { $eq: 'Delta' } } }, [['Gamma', 'Delta']]],
  [{ name: { $regex: 'LPHA' } }, ['Alpha', 'ALPHABET']],
  [{ name: { $regex: 'lpha', $options: '' } }, ['Alpha']],
  [{ name: { $regex: '^alpha$', $options: 'i' } }, ['Alpha']],
  [{ name: { $regex: 'nul.nul', $options: 's' } }, ['nul\u0000nul']],
  [{ any: { $regex: '^.$' } }, [ID]],
  [{ $and: [{ name: { $not: '/a/i' } }] }, ['nul\u0000nul', '1984']],
  [{ name: { $not: { $regex: 'a' } } }, ['nul\u0000nul', '1984']],
  [{ pages: '10' }, ['Alpha']],
  [{ name: 1984 }, ['1984']],
  [{ name: { $in: [1984, 'x'] } }, ['1984']],
  [{ pages: { $in: ['20', 30] } }, ['beta', 'ALPHABET']],
  [{ pages: { $gt: '10', $lte: 20 } }, ['beta']],
  [{ pages: { $not: { $gt: '10' }, $exists: true } }, ['Alpha']],
  [{ open: 'true' }, ['Alpha']],
  [{ open: { $ne: 'true', $exists: true } }, ['beta']],
  [{ at: '2024-05-01T10:00:00Z' }, ['Alpha']],
  [{ at: { $lte: 1714557600000 } }, ['Alpha']],
  [{ at: { $gte: '2024-05-01', $lt: '2024-05-02' } }, ['Alpha']],
  [{ 'box.colour': 'red' }, ['beta']],
  [{ 'box.colour': 'Red' }, ['Alpha']],
  [{ 'box.size.w': 1 }, ['Alpha']],
  [{ box: { $elemMatch: { colour: 'blue' } } }, ['beta']],
  [{ any: 'text' }, ['Alpha', ['Gamma', 'Delta']]],
  [{ any: { $eq: 'text' } }, []],
  [{ any: { a: 1, b: 2 } }, ['ALPHABET']],
  [{ any: { $type: 'number', $ne: 1 } }, ['beta']],
  [{ any: { $type: ['object', 'null'] } }, ['ALPHABET', 'stra\u00dfe', 'nul\u0000nul']],
  [{ any: { $type: 'array' } }, [['Gamma', 'Delta']]],
  [{ any: null }, ['stra\u00dfe', 'caf\u00e9']],
  [{ any: { $exists: false } }, ['caf\u00e9']],
  [{ code: null, open: { $exists: true } }, ['beta']],
  [{ shelf: ID.toUpperCase() }, ['Alpha']],
  [{ friend: ID }, [['Gamma', 'Delta']]],
  [{ 'friend.name': 'alpha' }, ['ALPHABET', ['Gamma', 'Delta']]],
  [{ 'friend.pages': { $gt: '5' } }, ['ALPHABET', ['Gamma', 'Delta']]],
  [{ pages: { $exists: true }, 'friend.code': null }, ['Alpha', 'beta']],
  [{ pages: { $exists: true }, 'friend.code': { $exists: false } }, ['Alpha', 'beta']],
  [{ friend: { $exists: true }, 'friend.pages': { $ne: 10 } }, []],
  [{ pages: { $exists: true }, 'friend.pages': { $nin: [10] } }, ['Alpha', 'beta']],
  [{ friend: { $elemMatch: { pages: 10, name: 'ALPHA' } } }, [['Gamma', 'Delta']]],
  [{ $or: [{ name: 'ALPHA' }, { pages: '20' }] }, ['Alpha', 'beta']],
  [{ $nor: [{ pages: { $exists: false } }, { pages: 20 }] }, ['Alpha', 'ALPHABET']],
  [{ pages: 10, createdAt: { $gte: '2020-01-01T00:00:00Z', $lt: '2999-01-01' } }, ['Alpha']],
  [{ pages: 10, createdAt: { $not: { $gte: '2020-01-01' } } }, []],
  [{ pages: { $in: [10, null] }, open: { $exists: true } }, ['Alpha']],
  [{ name: ['Gamma', 'Delta'] }, [['Gamma', 'Delta']]],
  [{ apiVersion: '1.0', v: { $gte: '1' }, createdAt: { $gt: 0 }, pages: 10 }, ['Alpha']],
];

describe('a filter', () => {
  it.each(FOUND)('%j finds', async (filter, found) => {
    expect(await things.find(filter)).toEqual(found);
  });

  it.each(FOUND)('%j counts and stands in `query` by the same rules', async (filter, found) => {
    const { body } = await things.get({ filter }, '/count');
    expect(body.metadata.totalCount).toBe(found.length);
    const put = await app.inject('PUT', things.path, { body: { query: filter, update: {} } });
    expect([put.status, put.body.results.length]).toEqual([200, found.length]);
    await app.inject('PUT', things.path, { body: { query: {}, all: true, update: {} } });
  });
});

const REFUSED: readonly (readonly [Json, string])[] = [
  [{ nope: 1 }, 'nope'],
  [{ 'name.first': 1 }, 'name.first'],
  [{ $where: '1' }, '$where'],
  [{ $expr: {} }, '$expr'],
  [{ name: { $where: '1' } }, '$where'],
  [{ name: { $function: {} } }, '$function'],
  [{ name: { $near: [1, 2] } }, '$near'],
  [{ name: { $eq: 'a', plain: 1 } }, 'plain'],
  [{ $or: [] }, '$or'],
  [{ $and: { name: 1 } }, '$and'],
  [{ $or: [{ nope: 1 }] }, 'nope'],
  [{ name: { $in: 'a' } }, 'name'],
  [{ name: { $not: 'plain text' } }, 'name'],
  [{ name: { $not: '/a/x' } }, 'name'],
  [{ name: { $not: 5 } }, 'name'],
  [{ name: { $regex: '(' } }, 'name'],
  [{ name: { $regex: '(?=a)' } }, 'name'],
  [{ name: { $regex: '(a)\\1' } }, 'name'],
  [{ name: { $regex: 'a', $options: 'x' } }, 'name'],
  [{ name: { $options: 'i' } }, 'name'],
  [{ name: { $type: 'date' } }, 'name'],
  [{ name: { $type: 2 } }, 'name'],
  [{ name: { $size: -1 } }, 'name'],
  [{ name: { $exists: 'maybe' } }, 'name'],
  [{ 'friend.nope': 1 }, 'friend.nope'],
  [{ friend: { $elemMatch: { nope: 1 } } }, 'friend.nope'],
  [{ at: { $gt: '+012024-01-01' } }, 'at'],
  ...['2023-01-29 12:00:00', '2023-01-29t12:00:00z', '2023-1-30', '30/01/2023', '2023-02-30', ''].map(
    (text): readonly [Json, string] => [{ at: { $gte: text } }, 'ISO 8601, such as 2023-01-29T12:00:00Z'],
  ),
  [{ at: 'soon' }, 'at'],
  [{ at: { $in: ['2024-05-01', 'soon'] } }, 'at'],
  [{ at: { $nin: ['soon'] } }, 'at'],
  [{ at: { $ne: {} } }, 'at'],
  [{ at: { $not: { $lt: 'soon' } } }, 'at'],
  [{ at: { $elemMatch: { $lt: 'soon' } } }, 'at'],
  [{ at: { $all: [true] } }, 'at'],
  [{ $nor: [{ at: ['2024-05-01'] }] }, 'at'],
  [{ createdAt: { $gte: 'soon' } }, 'createdAt'],
  [{ lastModifiedAt: { $ne: true } }, 'lastModifiedAt'],
  [{ pages: '1,000' }, 'a number'],
  [{ pages: { $not: { $gte: 'abc' } } }, 'pages'],
  [{ pages: { $in: [10, '', 20] } }, 'pages'],
  [{ pages: true }, 'pages'],
  [{ pages: [10] }, 'pages'],
  [{ open: { $ne: 'True' } }, 'true or false'],
  [{ open: 1 }, 'open'],
  [{ name: {} }, 'name'],
  [{ name: { $ne: { first: 'a' } } }, 'name'],
  [{ name: ['a', null] }, 'name'],
  [{ shelf: 'top' }, 'shelf'],
  [{ shelf: { $ne: 5 } }, 'shelf'],
  [{ friend: { _id: ID, name: 'Alpha' } }, 'the id of a document'],
  [{ friend: { $nin: [ID, 'bob'] } }, 'friend'],
  [{ history: 'none' }, 'history'],
  [{ _id: { $ne: {} } }, '_id'],
  [{ v: 'x' }, 'v'],
  [{ 'friend.at': { $lt: '31/12/2020' } }, 'friend.at'],
  [{ friend: { $elemMatch: { pages: 'x' } } }, 'friend.pages'],
  [{ name: '\ud800' }, 'filter'],
];

describe('a filter that is refused', () => {
  it.each(REFUSED)('%j', async (filter, culprit) => {
    const { status, body } = await things.get({ filter });
    expect([status, body.success, body.statusCode]).toEqual([400, false, 400]);
    expect(JSON.stringify(body.errors)).toContain(culprit);
    expect(body.errors[0].message).toEqual(expect.any(String));
    expect(body.errors[0]).toMatchObject({
      status: 'Bad Request',
      code: 'Invalid Parameter',
      title: 'Invalid Filter Parameter Provided',
      details: expect.any(String),
    });
    expect(body.results).toBeUndefined();
    const put = await app.inject('PUT', things.path, { body: { query: filter, update: { pages: 99 } } });
    const gone = await app.inject('DELETE', things.path, { body: { query: filter } });
    expect([put.status, gone.status]).toEqual([400, 400]);
    expect(await things.find({ pages: 99 })).toEqual([]);
  });

  it.each(REFUSED)('%j, where nothing is to be found as well', async (filter, culprit) => {
    const text = encodeURIComponent(JSON.stringify(filter));
    for (const rest of [
      ...[
        `?filter=${text}`,
        `/count?filter=${text}`,
        `/${ID}?filter=${text}`,
        `/${ID}/history?filter=${text}`,
      ],
      ...['', '/count', `/${ID}`, `/${ID}/history`].map((path) => `${path}?historyFilters=${text}`),
      `/${lone}/history?filter=${text}`,
    ]) {
      const { status, body } = await app.inject('GET', `${bare.path}${rest}`);
      expect([rest, status]).toEqual([rest, 400]);
      expect(JSON.stringify(body.errors).toLowerCase()).toContain(culprit.toLowerCase());
    }
    const query = { $and: [filter, { name: 'nobody' }] };
    const put = await app.inject('PUT', bare.path, { body: { query, update: { pages: 99 } } });
    const gone = await app.inject('DELETE', bare.path, { body: { query } });
    expect([put.status, gone.status]).toEqual([400, 400]);
  });

  it.each(['{', 'null', '5', '"a"', '[]', '[{"$match":{}}]', ''])('is the text %j', async (filter) => {
    const { status, body } = await things.get({ filter });
    expect([status, body.errors[0].title]).toEqual([400, 'Invalid Filter Parameter Provided']);
  });
});
