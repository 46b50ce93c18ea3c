// A date is written in the form that the collection has for it.
import { expect, test } from 'vitest';
import { withStoredDates } from '../../../../src/stores/mongo-documents/commits/stored-dates.ts';
import { createTypeProbe } from '../../../../src/stores/mongo-documents/query/type-probe.ts';
import { BOOKS, insert, NEIGHBOUR } from '../../../contracts/store-cases.ts';
import { describeMongo, ownDatabase } from '../../../helpers/mongo-servers.ts';
import { openWorkbench, update } from './workbench.ts';

const ISO = '2024-01-02T03:04:05.678Z';
const DATE = new Date(ISO);

describeMongo('stored dates', (servers) => {
  test.each(Object.entries(servers))(
    '%s: are BSON dates where the collection has some, else text',
    async (_, uri) => {
      const bench = openWorkbench(await ownDatabase(uri));
      await bench.raw(BOOKS).insertOne({ at: new Date(0), in: { at: new Date(0) }, list: [new Date(0)] });
      const fields = {
        at: ISO,
        other: ISO,
        title: `${ISO} and more`,
        in: { at: ISO, to: null },
        list: [ISO, 1],
      };
      await bench.commit([insert(BOOKS, 1, fields), insert(NEIGHBOUR, 1, fields)]);
      await bench.commit([update(BOOKS, 1, 1, { at: ISO, other: ISO })]);
      const [stored] = await bench.stored(BOOKS);
      expect(stored).toMatchObject({ ...fields, at: DATE, in: { at: DATE }, list: [DATE, 1], v: 2 });
      expect((await bench.stored(NEIGHBOUR))[0]).toMatchObject(fields);
    },
  );

  test('leave writes without dates and collections without BSON dates unchanged', async () => {
    const bench = openWorkbench(await ownDatabase(servers.standalone));
    const typeProbe = createTypeProbe(() => performance.now());
    for (const writes of [[insert(BOOKS, 1, { a: 'text' })], [insert(BOOKS, 1, { at: ISO })]]) {
      expect(await bench.connection.run({}, (scope) => withStoredDates(scope, writes, typeProbe))).toBe(
        writes,
      );
    }
  });
});
