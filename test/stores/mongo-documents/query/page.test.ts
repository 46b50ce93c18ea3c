import { BSON } from 'mongodb';
import { expect, it } from 'vitest';
import { createPageTexts, readTexts } from '../../../../src/stores/mongo-documents/query/page.ts';
import { BOOKS } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/mongo-servers.ts';
import { openReads } from './workbench.ts';

it('takes no more than 64 Mi characters', () => {
  const { texts, add } = createPageTexts();
  const bytes = BSON.serialize({ text: 'x'.repeat(10 * 1024 * 1024) });
  for (let count = 0; count < 6; count += 1) add(bytes);
  expect(texts).toHaveLength(6);
  expect(() => add(bytes)).toThrow(expect.objectContaining({ reason: 'too-much' }));
});

describeMongo('a page', ({ standalone }) => {
  it('is what the server finds, as text', async () => {
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
