// Specifications that depend on each other, over the whole application: a change of one is in force in what the others do at once,
// and none breaks another one unawares.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

const AUTHORS = { fields: { name: { type: 'String' } }, settings: {} };
const BOOKS = {
  fields: { title: {}, author: { type: 'Reference', settings: { collection: 'authors' } } },
  settings: { defaultFilters: { 'author.name': 'ursula' }, storeRevisions: true },
};
const EXACT = { name: { type: 'String', matchType: 'exact' } };
const WITHOUT_NAME = { fields: { title: { type: 'String' } }, settings: {} };

let workspace: Workspace;
let app: TestApp;
let log: string[];

const start = async () => {
  log = [];
  app = await startApp({ workspace, log });
};
const config = (method: string, name: string, body?: Json, query = '') =>
  app.inject(method, `/1.0/library/${name}/config${query}`, body === undefined ? {} : { body });
const get = (path: string) => app.inject('GET', `/1.0/library/${path}`);
const titles = async (query = '') =>
  (await get(`books${query}`)).body.results.map(({ title }: JsonObject) => title);

beforeEach(async () => {
  workspace = createWorkspace({ '1.0/library/authors': AUTHORS, '1.0/library/books': BOOKS }, {});
  await start();
  const { body } = await app.inject('POST', '/1.0/library/authors', {
    body: [{ name: 'Ursula' }, { name: 'ursula' }],
  });
  const [first, second] = body.results.map(({ _id }: JsonObject) => _id);
  await app.inject('POST', '/1.0/library/books', {
    body: [
      { title: 'A', author: first },
      { title: 'B', author: second },
    ],
  });
});

afterEach(async () => {
  await app.close();
  workspace.remove();
});

describe('default filters through a reference', () => {
  it('follow the present specification of the collection behind it', async () => {
    expect(await titles()).toEqual(['A', 'B']);
    await config('POST', 'authors', { fields: EXACT, settings: {} });
    expect(await titles()).toEqual(['B']);
    expect((await get('books/count')).body.metadata.totalCount).toBe(1);
    await config('POST', 'authors', AUTHORS);
    expect(await titles('?cache=false')).toEqual(['A', 'B']);
  });
});

const CHANGES: readonly (readonly [
  string,
  () => ReturnType<typeof config>,
  () => ReturnType<typeof config>,
])[] = [
  [
    'a change',
    () => config('POST', 'authors', WITHOUT_NAME),
    () => config('POST', 'authors', WITHOUT_NAME, '?force=true'),
  ],
  [
    'a removal',
    () => config('DELETE', 'authors'),
    () => config('DELETE', 'authors', undefined, '?force=true'),
  ],
];

describe('a change whose URL contradicts itself', () => {
  it.each(['?force=true&force=false', '?force=false&force=true', '?force=true&force=true'])(
    'is refused, and nothing is forced: %s',
    async (query) => {
      for (const method of ['POST', 'DELETE']) {
        const body = method === 'POST' ? WITHOUT_NAME : undefined;
        const answer = await config(method, 'authors', body, query);
        expect([answer.status, answer.body.errors[0].details]).toEqual([
          400,
          'The `force` parameter is given more than once',
        ]);
      }
      expect(await titles()).toEqual(['A', 'B']);
    },
  );
});

describe.each(CHANGES)(
  '%s that would break the default filters of another specification',
  (_what, change, force) => {
    it('is refused, names that one, and changes nothing', async () => {
      const { status, body } = await change();
      expect([status, body.errors[0].field, body.errors[0].code]).toEqual([
        409,
        '/1.0/library/books',
        'SPECIFICATION_NEEDED',
      ]);
      expect(body.errors[0].message).toContain('force=true');
      expect(await titles()).toEqual(['A', 'B']);
      expect((await config('GET', 'authors')).body.fields).toEqual(AUTHORS.fields);
    });

    it('is made where it is forced; the other one then refuses to be read, also after a start, until it is mended', async () => {
      const { status, body } = await force();
      expect([status, body.result]).toEqual([200, 'success']);
      expect(body.warnings.join()).toContain('/1.0/library/books');
      for (const again of [false, true]) {
        if (again) {
          await app.close();
          await start();
          expect(log.join()).toContain('default filters are broken');
        }
        for (const path of [
          'books',
          'books/count',
          'books?filter={"title":"A"}',
          `books/${'a'.repeat(24)}`,
        ]) {
          const { status: answer, headers, body: refusal } = await get(path);
          expect([path, answer, refusal.errors[0].title, headers['retry-after']]).toEqual([
            path,
            503,
            'The default filters of this collection cannot be applied',
            '60',
          ]);
        }
      }
      expect(log.join()).toContain('collection.books.json');
      // Another change is no longer held responsible.
      expect((await config('POST', 'authors', WITHOUT_NAME)).status).toBe(200);
      await config('POST', 'authors', AUTHORS);
      expect(await titles()).toEqual(['A', 'B']);
    });
  },
);

describe('the answer to a posted specification', () => {
  it('has what `cloister check` would say', async () => {
    const { status, body } = await config('POST', 'notes', {
      field: {},
      fields: {
        a: { requierd: true, maxLength: 5, validation: { minLenght: 3 }, default: 'x', label: 'A' },
        b: { type: 'Reference', settings: { colection: 'authors', collection: 'nowhere' }, publish: {} },
        c: {
          publish: { section: 'x' },
          display: { index: true },
          comments: 'c',
          example: 1,
          placement: 'main',
        },
      },
      settings: {
        storeRevision: true,
        indexes: [],
        sortorder: 'asc',
        bogus: 1,
        hooks: { beforeSave: ['x'], beforeCreate: ['missing'] },
      },
    });
    expect([status, body.result]).toEqual([200, 'success']);
    for (const text of [
      '`field` has no effect: did you mean `fields`?',
      'fields.a: `requierd` has no effect: did you mean `required`?',
      'fields.a: `maxLength` has no effect here: it belongs in `validation`',
      '`validation.minLenght` is no rule and has no effect: did you mean `minLength`?',
      '`colection` has no effect: did you mean `collection`?',
      '`b` refers to a collection that does not exist',
      '`storeRevision` has no effect: did you mean `storeRevisions`?',
      '`indexes` has no effect: did you mean `index`?',
      '`sortorder` has no effect: did you mean `sortOrder`?',
      'settings: `bogus` has no effect',
      'fields.b: `publish` is no attribute and has no effect, here and in 1 more field',
      '`beforeSave` is no event',
      'there is no hook `missing`',
    ]) {
      expect(body.warnings.join('\n')).toContain(text);
    }
    for (const kept of ['label', 'display', 'comments', 'example', 'placement'])
      expect(body.warnings.join()).not.toContain(kept);
  });

  it('names the references that a removal leaves without a collection', async () => {
    await config('POST', 'books', { ...BOOKS, settings: {} });
    const { status, body } = await config('DELETE', 'authors');
    expect([status, body.warnings]).toEqual([
      200,
      ['`author` of /1.0/library/books refers to a collection that does not exist any more'],
    ]);
  });
});
