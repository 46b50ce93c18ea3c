// A field that a caller may not read is to it as one that does not exist, whatever it asks or writes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { describeMongo } from '../helpers/store/mongo-servers.ts';
import { ORACLE_SPECIFICATIONS, type OracleSite, openOracleSite, seen } from './oracles/site.ts';
import { openVariants, VARIANT_NAMES, type Variant } from './variants.ts';

const json = (value: unknown) => encodeURIComponent(JSON.stringify(value));

/** Reads that name a field in the place of FIELD. */
const NAMING: readonly string[] = [
  ...[
    { FIELD: 'x' },
    { FIELD: { $eq: 'x' } },
    { FIELD: { $exists: true } },
    { FIELD: { $gt: { wrong: 1 } } },
    { FIELD: { $nosuch: 1 } },
    { $or: [{ title: 'a' }, { FIELD: { $regex: '(' } }] },
    { $nor: [{ FIELD: null }] },
    { 'FIELD.name': 'x' },
  ].flatMap((filter) => [`/books?filter=${json(filter)}`, `/books/count?filter=${json(filter)}`]),
  ...[
    '/books?sort=FIELD',
    '/books?sort=FIELD&sortOrder=desc',
    `/books?sort=${json({ title: 1, FIELD: -1 })}`,
  ],
  ...[`/books?fields=${json({ FIELD: 1 })}`, `/books?fields=${json({ title: 1, FIELD: 1 })}`],
  `/books?fields=${json({ FIELD: 0 })}`,
  `/books?includeHistory=true&historyFilters=${json({ FIELD: 'x' })}`,
  ...[
    { 'book.FIELD': 'x' },
    { 'book.FIELD': { $ne: 'x' } },
    { 'book.FIELD.name': 'x' },
    { book: { $elemMatch: { FIELD: 'x' } } },
  ].map((filter) => `/shelves?filter=${json(filter)}`),
];

const HIDDEN = ['secret', 'pin', 'person'];

describeMongo('Hidden fields', ({ replicaSet }) => {
  let variants: readonly Variant[] = [];
  let close = async () => {};
  const sites: OracleSite[] = [];
  beforeAll(async () => {
    const config = { feedback: true, limits: { writeMatches: 5, composeReferences: 5 } };
    ({ variants, close } = await openVariants(replicaSet, { specs: ORACLE_SPECIFICATIONS, config }));
    for (const { app } of variants) sites.push(await openOracleSite(app));
  });
  afterAll(() => close());

  describe.each(VARIANT_NAMES.map((name, at) => [name, at] as const))('on %s', (_name, at) => {
    it('cannot be told from unknown ones in filters, sorts, projections and error messages', async () => {
      const site = sites[at] as OracleSite;
      const person = await site.add('people', { name: 'x' });
      for (const [n, secret] of ['c', 'a', 'b'].entries()) {
        const own = { title: `t${n}`, owner: 'plain', secret, pin: `naming ${n}`, person };
        await site.add('shelves', { name: 'x', book: await site.add('books', own) });
      }
      for (const path of NAMING) {
        for (const name of HIDDEN) {
          const [hidden, unknown] = await Promise.all(
            [name, 'nosuch'].map((field) => site.send('plain', 'GET', path.replaceAll('FIELD', field))),
          );
          // Text and length tell the name that was sent itself.
          const answer = (text: string, field: string) => text.replaceAll(field, '<field>');
          expect([path, name, hidden!.status, answer(hidden!.text, name)]).toEqual([
            path,
            name,
            unknown!.status,
            answer(unknown!.text, 'nosuch'),
          ]);
        }
      }
    });

    it('are in no answer: of lists, histories, composition, JSONP and writes', async () => {
      const site = sites[at] as OracleSite;
      const own = { title: 'own', owner: 'plain', secret: 'a hidden value', pin: 'another hidden value' };
      const person = await site.add('people', { name: 'a hidden person' });
      const id = await site.add('books', { ...own, person });
      const shelf = await site.add('shelves', { name: 'x', book: id });
      const texts = [];
      for (const path of [
        ...[
          '/books',
          '/books?compose=all',
          `/books/${id}?includeHistory=true&compose=all`,
          `/books/${id}/history`,
        ],
        ...[`/books/${id}/history?compose=true`, '/books?callback=call', `/shelves/${shelf}?compose=all`],
      ]) {
        const { status, text } = await site.send('plain', 'GET', path);
        expect([path, status]).toEqual([path, 200]);
        texts.push(text);
      }
      for (const [method, path, body] of [
        ['PUT', `/books/${id}?compose=all`, { title: 'changed' }],
        ['PUT', `/books?compose=all`, { query: { title: 'changed' }, update: { title: 'again' } }],
        ['PUT', `/shelves/${shelf}?compose=all`, { book: { _id: id, title: 'once more' } }],
        [
          'POST',
          '/shelves?compose=all',
          { name: 'x', book: { title: 'new', owner: 'plain', pin: 'fresh value' } },
        ],
      ] as const) {
        const { status, text } = await site.send('plain', method, path, body);
        expect([path, status, text]).toEqual([path, 200, text]);
        texts.push(text);
      }
      for (const text of texts) {
        expect(text).not.toMatch(/hidden|fresh value|secret|"pin"|"person"/);
        expect(text).not.toContain(person);
      }
    });

    it('decide no order, also where the specification sorts by one', async () => {
      const site = sites[at] as OracleSite;
      const ids = [];
      for (const secret of ['3', '1', '2'])
        ids.push(await site.add('books', { title: 'order', owner: 'editor', secret }));
      const filter = json({ title: 'order' });
      for (const sort of ['', '&sort=secret', '&sort=pin']) {
        const { body } = await site.send('editor', 'GET', `/books?filter=${filter}${sort}`);
        expect(body.results.map(({ _id }: JsonObject) => _id)).toEqual(ids);
        expect(body.metadata.sort ?? {}).toEqual({});
      }
      const { body } = await site.send('admin', 'GET', `/books?filter=${filter}`);
      expect(body.results.map(({ secret }: JsonObject) => secret)).toEqual(['1', '2', '3']);
    });

    it('are not named with their value, nor with another document, where a unique index is violated', async () => {
      const site = sites[at] as OracleSite;
      const other = await site.add('books', { title: 'a title of someone', owner: 'nobody', pin: '4711' });
      const created = await site.send('plain', 'POST', '/books', { owner: 'plain', pin: '4711' });
      const own = await site.add('books', { title: 'own', owner: 'plain' });
      const updated = await site.send('plain', 'PUT', `/books/${own}`, { pin: '4711' });
      for (const { status, text } of [created, updated]) {
        expect([status, text]).toEqual([400, text]);
        expect(text).not.toMatch(/4711|a title of someone/);
        expect(text).not.toContain(other);
      }
    });

    it('are not guessed by what a write inside of another document leaves unwritten', async () => {
      const site = sites[at] as OracleSite;
      const outcomes = [];
      for (const guess of ['right', 'wrong']) {
        const book = await site.add('books', { title: 'own', owner: 'plain', pin: `right ${guess}` });
        const answer = await site.send('plain', 'POST', '/shelves', {
          name: 'x',
          book: { _id: book, pin: `${guess} ${guess}` },
        });
        const { v } = (await site.send('admin', 'GET', `/books/${book}?cache=false`)).body.results[0];
        outcomes.push([answer.status, v]);
      }
      expect(outcomes[0]).toEqual(outcomes[1]);
    });

    it('do not change the ETag of a list that shows nothing else of a document that changed', async () => {
      const site = sites[at] as OracleSite;
      const id = await site.add('books', { title: 'own', owner: 'editor', secret: 'one' });
      const path = `/books?fields=${json({ title: 1 })}`;
      const { headers } = await site.send('editor', 'GET', path);
      await site.send('admin', 'PUT', `/books/${id}`, { secret: 'two' });
      const condition = { 'if-none-match': String(headers['etag']) };
      expect((await site.send('editor', 'GET', path, undefined, condition)).status).toBe(304);
    });
  });

  describe.each(VARIANT_NAMES.map((name, at) => [name, at] as const))(
    'and documents out of reach, on %s',
    (_name, at) => {
      it('count in no feedback of a removal', async () => {
        const site = sites[at] as OracleSite;
        const readable = async () => (await site.send('ann', 'GET', '/books/count')).body.metadata.totalCount;
        await site.add('books', { title: 'feedback', owner: 'ann' });
        await site.add('books', { title: 'feedback', owner: 'nobody' });
        const byQuery = await site.send('ann', 'DELETE', '/books', { query: { title: 'feedback' } });
        expect(byQuery.body).toMatchObject({ deleted: 1, deletedCount: 1, totalCount: await readable() });
        const id = await site.add('books', { title: 'feedback', owner: 'ann' });
        const byId = await site.send('ann', 'DELETE', `/books/${id}`);
        expect(byId.body).toMatchObject({ deleted: 1, totalCount: await readable() });
      });

      it('count towards no limit of a write by query or of a filter through a reference', async () => {
        const site = sites[at] as OracleSite;
        const books = [];
        for (let n = 0; n < 8; n += 1)
          books.push(await site.add('books', { title: 'many', owner: 'nobody', rank: 77 }));
        const own = await site.add('books', { title: 'many', owner: 'plain', rank: 77 });
        await site.add('shelves', { name: 'of many', book: own });
        await site.add('shelves', { name: 'of many', book: books[0] as string });
        const update = { query: { title: 'many' }, update: { rank: 77 } };
        const changed = await site.send('plain', 'PUT', '/books', update);
        expect([changed.status, changed.body.metadata?.totalCount]).toEqual([200, 1]);
        expect((await site.send('admin', 'PUT', '/books', update)).status).toBe(400);
        const path = `/shelves/count?filter=${json({ name: 'of many', 'book.rank': 77 })}`;
        const found = await site.send('plain', 'GET', path);
        expect([found.status, found.body.metadata?.totalCount]).toEqual([200, 1]);
        expect((await site.send('admin', 'GET', path)).status).toBe(400);
      });

      it('are not told by a unique index: a clash is a clash, whoever has the value', async () => {
        const site = sites[at] as OracleSite;
        await site.add('books', { title: 'clash', owner: 'nobody', pin: 'out of reach' });
        await site.add('books', { title: 'clash', owner: 'plain', pin: 'in reach' });
        const answers = [];
        for (const pin of ['out of reach', 'in reach']) {
          const answer = await site.send('plain', 'POST', '/books', { owner: 'plain', pin });
          answers.push(seen(answer));
        }
        expect(answers[1]).toEqual(answers[0]);
      });
    },
  );
});
