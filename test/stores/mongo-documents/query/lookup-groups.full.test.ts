// Reads by id that come together: which are sent as one query, and that each still answers for itself.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../../src/errors/errors.ts';
import { filterById } from '../../../../src/stores/filter.ts';
import { toBson } from '../../../../src/stores/mongo-documents/bson/bson-conversion.ts';
import {
  createLookupGroups,
  MAX_GROUPED_IDS,
} from '../../../../src/stores/mongo-documents/query/lookup-groups.ts';
import { BOOKS, ELSEWHERE, idOf, query } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/store/mongo-servers.ts';
import { openReads } from './workbench.ts';

type FindByIds = Parameters<typeof createLookupGroups>[0]['findByIds'];

const NOW = 1_000_000;

/** Groups over a store that has the text `text of N` for each id N, and the calls that reached it. */
function openGroups(findByIds?: FindByIds) {
  const calls: unknown[][] = [];
  const texts = (ids: readonly string[]) => new Map(ids.map((id) => [id, `text of ${id}`]));
  const find = createLookupGroups({
    now: () => NOW,
    findByIds: (...call) => {
      calls.push([call[0].collection, [...call[1]], call[2]?.deadline]);
      return findByIds?.(...call) ?? texts(call[1]);
    },
  });
  return { find, calls };
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => String(n));

describe('lookup groups', () => {
  it('send the reads of one turn as one query, each id once', async () => {
    const { find, calls } = openGroups();
    const found = await Promise.all(['1', '2', '1'].map((id) => find(BOOKS, id, {})));
    expect(found).toEqual(['text of 1', 'text of 2', 'text of 1']);
    expect(calls).toEqual([['books', ['1', '2'], undefined]]);
  });

  it('leave a read alone that nothing came along with', async () => {
    const { find, calls } = openGroups();
    expect(await find(BOOKS, '1', {})).toBeUndefined();
    expect(await find(BOOKS, '2', {})).toBeUndefined();
    expect(calls).toEqual([]);
  });

  it('take no more than one query should hold', async () => {
    const { find, calls } = openGroups();
    await Promise.all(numbered(MAX_GROUPED_IDS + 2).map((id) => find(BOOKS, id, {})));
    expect(calls.map(([, ids]) => (ids as string[]).length)).toEqual([MAX_GROUPED_IDS, 2]);
  });

  it('keep collections apart, and reads with other time limits', async () => {
    const { find, calls } = openGroups();
    const deadlines = [10_000, 10_100, undefined, undefined, 20_000, 20_001];
    await Promise.all([
      ...deadlines.map((deadline, n) => find(BOOKS, String(n), deadline === undefined ? {} : { deadline })),
      ...['8', '9'].map((id) => find(ELSEWHERE, id, {})),
    ]);
    expect(calls).toEqual([
      [BOOKS.collection, ['0', '1'], 10_000],
      [BOOKS.collection, ['2', '3'], undefined],
      [BOOKS.collection, ['4', '5'], 20_000],
      [ELSEWHERE.collection, ['8', '9'], undefined],
    ]);
  });

  it('leave a read alone whose document was not found with the others', async () => {
    const { find } = openGroups(async () => new Map([['1', 'one']]));
    expect(await Promise.all([find(BOOKS, '1', {}), find(BOOKS, '2', {})])).toEqual(['one', undefined]);
  });

  it('leave each read alone if the query fails', async () => {
    for (const error of [new StoreError('too-much'), new StoreError('failed'), new Error('a defect')]) {
      const { find } = openGroups(() => Promise.reject(error));
      expect(await Promise.all([find(BOOKS, '1', {}), find(BOOKS, '2', {})])).toEqual([undefined, undefined]);
    }
  });

  it('reject each read if the server is not available, or its own time is up', async () => {
    for (const reason of ['unavailable', 'timeout'] as const) {
      const { find } = openGroups(() => Promise.reject(new StoreError(reason)));
      const results = await Promise.allSettled([find(BOOKS, '1', {}), find(BOOKS, '2', {})]);
      expect(results).toEqual([1, 2].map(() => ({ status: 'rejected', reason: new StoreError(reason) })));
    }
  });

  it('leave a read alone that has time left when the first has none', async () => {
    const { find } = openGroups(() => Promise.reject(new StoreError('timeout')));
    const results = await Promise.allSettled([
      find(BOOKS, '1', { deadline: NOW }),
      find(BOOKS, '2', { deadline: NOW + 100 }),
    ]);
    expect(results[0]).toEqual({ status: 'rejected', reason: new StoreError('timeout') });
    expect(results[1]?.status).toBe('fulfilled');
  });
});

describeMongo('reads by id of one turn', ({ standalone }) => {
  const stored = [1, 2, 3].map((n) => toBson({ n, _id: idOf(n) }));
  const byId = (n: number) => query({ filter: filterById(idOf(n)), limit: 40 });

  it('are one query, and answer as each would alone', async () => {
    const reads = await openReads(standalone, stored);
    const ask = () => Promise.all([1, 2, 3].map((n) => reads.findText(BOOKS, byId(n))));
    const alone: (readonly string[])[] = [];
    for (const n of [1, 2, 3]) alone.push(await reads.findText(BOOKS, byId(n)));
    expect(await reads.commandsOf(async () => expect(await ask()).toEqual(alone))).toEqual(['find']);
    expect(alone[0]).toEqual([`{"n":1,"_id":"${idOf(1)}"}`]);
  });

  it('find nothing for an id without a document', async () => {
    const reads = await openReads(standalone, stored);
    await reads.findText(BOOKS, byId(1));
    const found = await Promise.all([1, 9].map((n) => reads.find(BOOKS, byId(n))));
    expect(found).toEqual([[{ n: 1, _id: idOf(1) }], []]);
  });

  it('stay apart where they skip, project or ask for more than the id', async () => {
    const reads = await openReads(standalone, stored);
    await reads.findText(BOOKS, byId(1));
    const found = await Promise.all([
      reads.findText(BOOKS, { ...byId(1), skip: 1 }),
      reads.findText(BOOKS, { ...byId(2), projection: { include: [] } }),
      reads.findText(BOOKS, { ...byId(3), limit: 0 }),
      reads.findText(BOOKS, byId(3)),
    ]);
    expect(found).toEqual([[], [`{"_id":"${idOf(2)}"}`], [], [`{"n":3,"_id":"${idOf(3)}"}`]]);
  });

  it('stay apart while documents are long, or not known to be short', async () => {
    const text = 'x'.repeat(200_000);
    const reads = await openReads(
      standalone,
      [1, 2].map((n) => toBson({ n, text, _id: idOf(n) })),
    );
    const ask = () => Promise.all([1, 2].map((n) => reads.findText(BOOKS, byId(n))));
    for (const time of ['unknown', 'long']) {
      expect([time, await reads.commandsOf(ask)]).toEqual([time, ['find', 'find']]);
    }
  });

  it('find every document of a view that repeats ids', async () => {
    const reads = await openReads(standalone, stored);
    await reads.books.updateMany({}, { $set: { tags: ['a', 'b'] } });
    const view = { ...BOOKS, collection: 'tagged' };
    await reads.database.createCollection('tagged', { viewOn: 'books', pipeline: [{ $unwind: '$tags' }] });
    const tagsOf = async (n: number) =>
      (await reads.find(view, byId(n))).map((document) => document['tags']).toSorted();
    const alone = await tagsOf(1);
    expect([alone, ...(await Promise.all([1, 2, 3].map(tagsOf)))]).toEqual(Array(4).fill(['a', 'b']));
  });

  it('see a write that was acknowledged before they were asked for', async () => {
    const reads = await openReads(standalone, stored);
    await reads.findText(BOOKS, byId(1));
    const title = randomUUID();
    await reads.books.updateMany({}, { $set: { title } });
    const found = await Promise.all([1, 2, 3].map((n) => reads.find(BOOKS, byId(n))));
    expect(found.flat().map((document) => document['title'])).toEqual([title, title, title]);
  });
});
