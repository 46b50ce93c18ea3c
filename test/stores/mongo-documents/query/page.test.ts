import { BSON, ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { translateFilter } from '../../../../src/stores/mongo-documents/filters/translate.ts';
import { createPageTexts, findPlain, readTexts } from '../../../../src/stores/mongo-documents/query/page.ts';
import { BOOKS, idOf, where } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/mongo-servers.ts';
import { openReads } from './workbench.ts';

it('a page has at most 64 Mi characters', () => {
  const { texts, add } = createPageTexts();
  const bytes = BSON.serialize({ text: 'x'.repeat(10 * 1024 * 1024) });
  for (let count = 0; count < 6; count += 1) add(bytes);
  expect(texts).toHaveLength(6);
  expect(() => add(bytes)).toThrow(expect.objectContaining({ reason: 'too-much' }));
});

describeMongo('a page', ({ standalone }) => {
  it('returns the found documents as JSON texts', async () => {
    const { run } = await openReads(
      standalone,
      [1, 2, 3].map((n) => ({ _id: n as never, n })),
    );
    const ask = { ns: BOOKS, query: { n: { $gt: 1 } }, sort: new Map([['n', -1 as const]]), limit: 5 };
    expect((await run((scope) => readTexts(scope, ask, createPageTexts()))).texts).toEqual([
      '{"n":3,"_id":3}',
      '{"n":2,"_id":2}',
    ]);
  });
});

describeMongo('a page that the server can filter and sort', ({ standalone }) => {
  it('takes one round trip, and an id the fastest plan', async () => {
    const { run, search, commandsOf, books } = await openReads(
      standalone,
      [1, 2, 3].map((n) => ({ _id: new ObjectId(idOf(n)), n })),
    );
    const find = (...args: Parameters<typeof search>) => {
      const asked = search(...args);
      return run((scope) =>
        findPlain(scope, asked, translateFilter(asked.query.filter, { collated: false })),
      );
    };
    const byId = {
      filter: where('_id', { kind: 'eq', value: idOf(2) }),
      projection: { include: ['n'] },
    } as const;
    expect((await find(byId)).texts).toEqual([`{"n":2,"_id":"${idOf(2)}"}`]);
    expect(await commandsOf(() => find({ limit: 3, sort: [['n', 1]] }))).toEqual(['find']);
    expect(await books.find({ _id: new ObjectId(idOf(2)) }).explain('queryPlanner')).toMatchObject({
      queryPlanner: { winningPlan: { stage: 'IDHACK' } },
    });
  });
});
