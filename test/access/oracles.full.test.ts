// What a caller may not read is told by nothing that it gets: two sites that look alike to it answer it alike, byte for byte.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { describeMongo } from '../helpers/store/mongo-servers.ts';
import {
  ORACLE_SPECIFICATIONS,
  type OracleSite,
  openOracleSite,
  READS,
  seen,
  UNKNOWN_ID,
} from './oracles/site.ts';
import { openVariants, VARIANT_NAMES, type Variant } from './variants.ts';

const CALLERS = ['anonymous', 'plain', 'editor'] as const;

/** Writes that must not succeed: what they are told may not depend on whether the document is there. */
const WRITES: readonly (readonly [
  method: string,
  rest: string,
  body?: JsonObject | undefined,
  headers?: Record<string, string>,
])[] = [
  ['GET', ''],
  ['HEAD', ''],
  ['GET', '', undefined, { 'if-none-match': '*' }],
  ['GET', '?compose=true&includeHistory=true'],
  ['GET', '?callback=call'],
  ['GET', '/history'],
  ['HEAD', '/history'],
  ['GET', '/history?count=1&page=2'],
  ['PUT', '', { title: 'x' }],
  ['PUT', '', { rank: 'no number' }],
  ['PUT', '', { nosuch: 1 }],
  ['PUT', '', { secret: 'x' }],
  ['PUT', '', { owner: 'plain' }],
  ['PUT', '', { title: 'x' }, { 'if-match': '"1"' }],
  ['PUT', '', { title: 'x' }, { 'if-match': '"99"' }],
  ['PUT', '', { title: 'x' }, { 'if-match': '*' }],
  ['PUT', '', { title: 'x' }, { 'if-none-match': '*' }],
  ['PUT', '', { person: { name: 'inside' } }],
  ['POST', '', { title: 'x' }],
  ['DELETE', ''],
  ['DELETE', '', undefined, { 'if-match': '"1"' }],
  ['DELETE', '', undefined, { 'if-match': '"99"' }],
  ['POST', `/revisions/${UNKNOWN_ID}/restore`],
];

describeMongo('Answers', ({ replicaSet }) => {
  let variants: readonly Variant[] = [];
  let close = async () => {};
  const sites: OracleSite[] = [];
  beforeAll(async () => {
    ({ variants, close } = await openVariants(replicaSet, { specs: ORACLE_SPECIFICATIONS }));
    for (const { app } of variants) sites.push(await openOracleSite(app));
  });
  afterAll(() => close());

  describe.each(VARIANT_NAMES.map((name, at) => [name, at] as const))('on %s', (_name, at) => {
    it('do not change when documents that a caller cannot read come, change and go', async () => {
      const site = sites[at] as OracleSite;
      const open = await site.add('books', { title: 'a', open: true, owner: 'nobody', rank: 2, secret: 'm' });
      await site.add('books', { title: 'b', open: true, owner: 'nobody', rank: 1, secret: 'k' });
      await site.add('shelves', { name: 'of the open book', book: open });
      const hidden = { open: false, owner: 'nobody', rank: 3 };
      const first = await site.add('books', { title: 'hidden', ...hidden, secret: 'z' });
      await site.add('shelves', { name: 'of the hidden book', book: first });
      const ask = async () => {
        const answers: unknown[] = [];
        for (const caller of CALLERS)
          for (const method of ['GET', 'HEAD'])
            for (const path of READS)
              answers.push([caller, method, path, seen(await site.send(caller, method, path))]);
        return answers;
      };
      const before = await ask();
      const second = await site.add('books', { title: 'aa', ...hidden, rank: 0, pin: 'p1', secret: 'a' });
      await site.add('books', { title: 'zz', ...hidden, rank: 9, pin: 'p2', secret: 'b' });
      expect(await ask()).toEqual(before);
      await site.send('admin', 'PUT', `/books/${first}`, { title: 'a', rank: 1, secret: 'l' });
      await site.send('admin', 'PUT', `/books/${second}`, { title: 'hidden' });
      expect(await ask()).toEqual(before);
      await site.send('admin', 'DELETE', `/books/${first}`);
      expect(await ask()).toEqual(before);
    });

    it('have the same ETag, which the caller sends to learn of changes', async () => {
      const site = sites[at] as OracleSite;
      await site.add('books', { title: 'a', open: true, owner: 'nobody' });
      for (const path of ['/books', '/books/count', '/books?sort=rank']) {
        const { headers } = await site.send('plain', 'GET', path);
        await site.add('books', { title: 'hidden', open: false, owner: 'nobody', rank: 1 });
        const { status } = await site.send('plain', 'GET', path, undefined, {
          'if-none-match': String(headers['etag']),
        });
        expect([path, status]).toEqual([path, 304]);
        const others = await site.send('admin', 'GET', path);
        const asOthers = { 'if-none-match': String(others.headers['etag']) };
        expect((await site.send('plain', 'GET', path, undefined, asOthers)).status, path).toBe(200);
      }
    });

    it.each(CALLERS)('to %s about a document that it cannot read are those about none', async (caller) => {
      const site = sites[at] as OracleSite;
      const hidden = await site.add('books', { title: 'hidden', owner: 'nobody', secret: 's' });
      const removed = await site.add('books', { title: 'hidden', owner: 'nobody', secret: 's' });
      await site.send('admin', 'DELETE', `/books/${removed}`);
      for (const [method, rest, body, headers] of WRITES) {
        const answers = [];
        for (const id of [UNKNOWN_ID, hidden, removed]) {
          // What an admin has just read may lie in a cache.
          await site.send('admin', 'GET', `/books/${id}${rest.split('/revisions')[0]}`);
          const answer = await site.send(caller, method, `/books/${id}${rest}`, body, headers);
          answers.push(seen(answer, [UNKNOWN_ID, hidden, removed], true));
        }
        expect([method, rest, body, headers, answers[1]]).toEqual([method, rest, body, headers, answers[0]]);
        expect([method, rest, body, headers, answers[2]]).toEqual([method, rest, body, headers, answers[0]]);
      }
      const { v, title } = (await site.send('admin', 'GET', `/books/${hidden}?cache=false`)).body.results[0];
      expect([v, title]).toEqual([1, 'hidden']);
    });

    it.each(CALLERS)(
      'to %s treat a document that it cannot read as unknown inside of another one',
      async (caller) => {
        const site = sites[at] as OracleSite;
        const hidden = await site.add('books', { title: 'hidden', owner: 'nobody', secret: 's', rank: 1 });
        const shelf = await site.add('shelves', { name: 'x' });
        const bodies = (book: string): readonly JsonObject[] => [
          { book: { _id: book, title: 'x' } },
          { book: { _id: book, title: 'hidden' } },
          { book: { _id: book, secret: 's' } },
          { book: { _id: book, secret: 'no' } },
          { book: { _id: book, rank: 'no number' } },
          { book: { _id: book, title: 'x', v: 0 } },
          { book: [{ _id: book, title: 'x' }] },
        ];
        for (const [n] of bodies('').entries()) {
          const answers = [];
          for (const id of [UNKNOWN_ID, hidden]) {
            const answer = await site.send(caller, 'PUT', `/shelves/${shelf}`, bodies(id)[n]);
            expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
            answers.push(seen(answer, [UNKNOWN_ID, hidden]));
          }
          expect([bodies('')[n], answers[1]]).toEqual([bodies('')[n], answers[0]]);
        }
      },
    );

    it('refer to a document that the caller cannot read as to one that does not exist', async () => {
      const site = sites[at] as OracleSite;
      const hidden = await site.add('books', { title: 'hidden', owner: 'nobody' });
      const answers = [];
      for (const book of [UNKNOWN_ID, hidden]) {
        const { status, body } = await site.send('plain', 'POST', '/shelves?compose=true', {
          name: 'x',
          book,
        });
        const { _id, createdAt, ...rest } = body.results[0];
        expect(createdAt).toBeGreaterThan(0);
        answers.push(
          seen({ status, headers: {}, text: JSON.stringify(rest) } as never, [UNKNOWN_ID, hidden, _id]),
        );
      }
      expect(answers[1]).toEqual(answers[0]);
    });
  });
});
