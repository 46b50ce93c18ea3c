import { Long, ObjectId } from 'mongodb';
import { expect, test } from 'vitest';
import {
  firstStale,
  readVersions,
} from '../../../../src/stores/mongo-documents/commits/document-versions.ts';
import type { Write } from '../../../../src/stores/ports.ts';
import { BOOKS, idOf, insert } from '../../../contracts/store-cases.ts';
import { describeMongo, ownDatabase } from '../../../helpers/mongo-servers.ts';
import { openWorkbench, remove, update } from './workbench.ts';

const parcelOf = (writes: readonly Write[]) => ({ kind: 'update' as const, ns: BOOKS, first: 0, writes });

describeMongo('states', ({ standalone }) => {
  test('are read by id, and compared with what writes expect', async () => {
    const { commit, connection, raw } = openWorkbench(await ownDatabase(standalone));
    await commit([insert(BOOKS, 1, {}), { kind: 'insert', ns: BOOKS, document: { _id: 'settings' } }]);
    await raw(BOOKS).insertOne({ _id: new ObjectId(idOf(2)), v: Long.fromNumber(7) });
    const settings = { kind: 'remove', ns: BOOKS, id: 'settings', v: 0 } as const;
    const fresh = [update(BOOKS, 1, 1, {}), remove(BOOKS, 2, 7), settings];
    await connection.run({}, async (scope) => {
      expect(await readVersions(scope, parcelOf(fresh))).toEqual(
        new Map([
          [idOf(1), 1],
          [idOf(2), 7],
          ['settings', 0],
        ]),
      );
      const first = (writes: readonly Write[]) => firstStale(scope, parcelOf(writes));
      expect(await first([...fresh, remove(BOOKS, 2, 6)])).toBe(3);
      expect(await first([...fresh, remove(BOOKS, 9, 0)])).toBe(3);
      expect(await first(fresh)).toBe(0);
    });
  });
});
