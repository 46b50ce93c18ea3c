import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { translateFilter } from '../../../../src/stores/mongo-documents/filters/translate.ts';
import { findPlain } from '../../../../src/stores/mongo-documents/query/plain-find.ts';
import { idOf, where } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/mongo-servers.ts';
import { openReads } from './workbench.ts';

describeMongo('a page that the server finds by itself', ({ standalone }) => {
  it('comes in one round trip, an id on the shortest way', async () => {
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
