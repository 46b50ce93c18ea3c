// What is told of names that nobody knows: the one that was probably meant, where the caller may know it; and that a parameter has no
// effect.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { queryOf } from '../helpers/app/site.ts';

const BOOKS = '/1.0/library/books';
const log: string[] = [];
let app: TestApp;

const open = { read: [{ to: 'anyone' }], create: [{ to: 'clients' }], update: [{ to: 'clients' }] };
const people: JsonObject = { fields: { name: {}, nickname: {} }, settings: { access: open } };
const books = (fields: JsonObject = {}): JsonObject => ({
  fields: {
    title: {},
    pages: { type: 'Number' },
    author: { type: 'Reference', settings: { collection: 'people' } },
    ...fields,
  },
  settings: { access: open, cache: true },
});

beforeAll(async () => {
  const specs = { '1.0/library/books': books(), '1.0/library/people': people };
  app = await startApp({ specs, config: { cache: true }, log });
  await app.inject('POST', BOOKS, { body: [{ title: 'a', pages: 1 }] });
});

afterAll(() => app.close());

const items = async (method: string, path: string, body?: unknown) => {
  const answer = await app.inject(method, path, body === undefined ? {} : { body });
  expect(answer.status).toBe(400);
  return answer.body.errors;
};

describe('an unknown name', () => {
  it.each([
    ['a document', 'POST', BOOKS, { titel: 'x' }, 'titel', 'title'],
    ['a list of documents', 'POST', BOOKS, [{ title: 'x' }, { titel: 'x' }], 'titel', 'title'],
    ['an update', 'PUT', BOOKS, { query: { title: 'a' }, update: { page: 5 } }, 'page', 'pages'],
    [
      'names to remove',
      'PUT',
      BOOKS,
      { query: { title: 'a' }, update: { $unset: ['titl'] } },
      'titl',
      'title',
    ],
    ['a sub-document', 'POST', BOOKS, { title: 'x', author: { nmae: 'y' } }, 'author.nmae', 'name'],
  ])('of %s has the field that was meant in `details`', async (_where, method, path, body, field, meant) => {
    const [item] = await items(method, path, body);
    expect(item).toMatchObject({
      field,
      code: 'ERROR_NOT_IN_SCHEMA',
      message: "doesn't exist in the collection schema",
      details: `did you mean \`${meant}\`?`,
    });
  });

  it.each([
    [{ titel: 'x' }, 'title'],
    [{ autor: 'x' }, 'author'],
    [{ 'autor.name': 'x' }, 'author'],
    [{ 'author.nmae': 'x' }, 'name'],
    [{ creatdAt: 1 }, 'createdAt'],
    [{ $or: [{ title: 'a' }, { page: 1 }] }, 'pages'],
  ])('of the filter %j has the field that was meant in its message', async (filter, meant) => {
    const [item] = await items('GET', BOOKS + queryOf({ filter }));
    const message = `doesn't exist in the collection schema: did you mean \`${meant}\`?`;
    expect(item).toMatchObject({ message, details: message, title: 'Invalid Filter Parameter Provided' });
  });

  it('that is near none has no suggestion', async () => {
    expect((await items('POST', BOOKS, { zebra: 1 }))[0]).toEqual({
      field: 'zebra',
      code: 'ERROR_NOT_IN_SCHEMA',
      message: "doesn't exist in the collection schema",
    });
    const [item] = await items('GET', BOOKS + queryOf({ filter: { 'title.x': 1 } }));
    expect(item.message).toBe("doesn't exist in the collection schema");
  });

  it('of a sort is ignored, and the metadata says so', async () => {
    const { status, body } = await app.inject(
      'GET',
      BOOKS + queryOf({ sort: { titel: 1, 'author.name': 1 } }),
    );
    expect(status).toBe(200);
    expect(body.results).toHaveLength(1);
    expect(body.metadata.warnings).toEqual([
      "`titel` in `sort` is ignored: it doesn't exist in the collection schema: did you mean `title`?",
      '`author.name` in `sort` is ignored: it is in another collection',
    ]);
    for (const sort of ['', 'title', { _id: 1 }]) {
      const { body: known } = await app.inject('GET', BOOKS + queryOf({ sort }));
      expect(known.metadata).not.toHaveProperty('warnings');
    }
  });
});

describe('an unknown parameter of a list', () => {
  const read = (query: string, below = '') => app.inject('GET', `${BOOKS}${below}${query}`);

  it('changes nothing but the warnings of its metadata', async () => {
    const plain = await read('?count=5');
    const { status, body } = await read('?limit=1&q=soup&cuont=1&count=5&limit=2&flds');
    expect([status, body.results]).toEqual([200, plain.body.results]);
    const { warnings, ...metadata } = body.metadata;
    expect(metadata).toEqual(plain.body.metadata);
    expect(warnings).toEqual([
      '`limit` is no parameter and has no effect: did you mean `count`?',
      '`q` is no parameter and has no effect',
      '`cuont` is no parameter and has no effect: did you mean `count`?',
      '`flds` is no parameter and has no effect: did you mean `fields`?',
    ]);
  });

  it('is not told where hooks take part in the read: they see the whole query string', async () => {
    const hook = 'module.exports = (obj, type, data) => obj;';
    const headers = { 'content-type': 'text/plain' };
    expect((await app.inject('POST', '/api/hooks/same/config', { body: hook, headers })).status).toBe(200);
    const settings = { access: open, hooks: { afterGet: ['same'] } };
    const specification = { fields: { title: {} }, settings };
    await app.inject('POST', '/1.0/library/hooked/config', { body: specification });
    const { status, body } = await app.inject('GET', '/1.0/library/hooked?foo=1');
    expect([status, body.metadata.warnings]).toEqual([200, undefined]);
  });

  it('stands before what the sort is warned of', async () => {
    const { body } = await read('?foo=1&sort=titel');
    expect(body.metadata.warnings).toEqual([
      '`foo` is no parameter and has no effect',
      expect.stringContaining('`titel` in `sort` is ignored'),
    ]);
  });

  it('is no other answer from the cache, and none for those who did not send it', async () => {
    for (const _again of [1, 2]) {
      const named = await read('?ofset=1&page=1');
      const other = await read('?zzz=1&page=1');
      const plain = await read('?page=1');
      expect(named.body.metadata.warnings[0]).toContain('`ofset`');
      expect(other.body.metadata.warnings[0]).toContain('`zzz`');
      expect(plain.body.metadata).not.toHaveProperty('warnings');
      expect(new Set([named, other, plain].map(({ headers }) => headers['etag'])).size).toBe(3);
    }
    expect((await read('?zzz=2&page=1')).headers['x-cache']).toBe('HIT');
    const { headers } = await read('?ofset=1&page=1');
    const again = await app.inject('GET', `${BOOKS}?ofset=7&page=1`, {
      headers: { 'if-none-match': String(headers['etag']) },
    });
    expect(again.status).toBe(304);
  });

  it('is accepted without a word where clients get around caches, and where nothing is listed', async () => {
    const [{ _id: id }] = (await read('')).body.results;
    for (const [query, below] of [
      ['?1699999999999'],
      ['?&&'],
      ['?zzz=1', `/${id}`],
      ['?zzz=1', '/count'],
    ] as const) {
      const { status, body } = await read(query, below);
      expect([status, body.metadata?.warnings]).toEqual([200, undefined]);
    }
  });

  it('is named in the log once', async () => {
    for (const value of [1, 2, 3]) await read(`?onlyonce=${value}`);
    const lines = log.filter((line) => line.includes('onlyonce'));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, parameter: 'onlyonce' });
  });

  it('is told shortened, and with not too many others', async () => {
    const many = Array.from({ length: 300 }, (_, n) => `p${n}x=1`).join('&');
    const { body } = await read(`?${'y'.repeat(5000)}=1&${many}`);
    expect(body.metadata.warnings).toHaveLength(20);
    expect(body.metadata.warnings[0].length).toBeLessThan(200);
  });
});

describe('a suggestion', () => {
  const SECRET = { salary: { type: 'Number', access: { read: ['hr'], write: ['clients'] } } };
  const closed: JsonObject = { fields: { password: {} }, settings: { access: { read: [{ to: 'hr' }] } } };
  const reference = { keeper: { type: 'Reference', settings: { collection: 'keepers' } } };

  it('is the same, to the byte, whether or not there is a field or collection that the caller may not read', async () => {
    const shared = { '1.0/library/people': people };
    const sites = await Promise.all([
      startApp({ specs: { ...shared, '1.0/library/books': books(reference) } }),
      startApp({
        specs: {
          ...shared,
          '1.0/library/books': books({ ...reference, ...SECRET }),
          '1.0/library/keepers': closed,
        },
      }),
    ]);
    const requests: readonly (readonly [string, string, unknown?])[] = [
      ...['salry', 'salary.x', 'Salary', 'salarie', 'keeper.pasword', 'keper.password'].flatMap((name) => [
        ['GET', BOOKS + queryOf({ filter: { [name]: 1 } })] as const,
        ['GET', `${BOOKS}/count${queryOf({ filter: { [name]: 1 } })}`] as const,
        ['GET', BOOKS + queryOf({ sort: { [name]: 1 } })] as const,
        ['GET', BOOKS + queryOf({ sort: name })] as const,
        ['GET', `${BOOKS}?${name}=1`] as const,
        ['POST', BOOKS, { [name.replaceAll('.', '_')]: 1 }] as const,
        ['PUT', BOOKS, { query: { title: 'none' }, update: { [name.replaceAll('.', '_')]: 1 } }] as const,
        [
          'PUT',
          BOOKS,
          { query: { title: 'none' }, update: { $unset: [name.replaceAll('.', '_')] } },
        ] as const,
      ]),
    ];
    try {
      const answers = await Promise.all(
        sites.map(async (site) => {
          const token = await site.userToken('plain');
          const texts: string[] = [];
          for (const [method, path, body] of requests) {
            const { status, text } = await site.inject(method, path, { token, body });
            texts.push(`${method} ${path} ${status} ${text}`);
          }
          return texts;
        }),
      );
      expect(answers[1]).toEqual(answers[0]);
      expect(answers[0]?.join()).not.toMatch(/did you mean `(?:salary|password)/);
      // An admin is told: the requests do come near the names.
      const told = await sites[1]?.inject('GET', BOOKS + queryOf({ filter: { salry: 1 } }));
      expect(told?.text).toContain('did you mean `salary`?');
    } finally {
      await Promise.all(sites.map((site) => site.close()));
    }
  });
});
