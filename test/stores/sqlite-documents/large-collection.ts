// A data file with very many documents, made by SQL alone in seconds.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Namespace } from '../../../src/stores/ports.ts';
import { openSqliteDocuments } from '../../../src/stores/sqlite-documents/store.ts';

export const LARGE_COLLECTION: Namespace = { database: null, collection: 'many' };

const MEMBERS = [
  ['_id', '"%024x"', 'i'],
  ['v', '1'],
  ['n', '%d', 'i'],
  ['title', '"Title %d"', 'i'],
  ['author', '"Author %d"', 'i % 1000'],
  ['status', '"%s"', "iif(i % 10 = 0, 'Draft', 'published')"],
  ['price', '%d.5', 'i % 500'],
  ['random', '%d', '(i * 7919) % 1000003'],
  ['tags', '["t%d","T%d"]', 'i % 50, i % 7'],
  ['body', '"%s"', 'hex(zeroblob(185))'],
] as const;

/** Fills the collection `MANY` in a new data folder with documents of about 550 bytes, numbered from 1. */
export async function createLargeCollection(path: string, count: number): Promise<void> {
  const store = await openSqliteDocuments({ path, queueLimit: 10 });
  await store.commit([{ kind: 'insert', ns: LARGE_COLLECTION, document: { _id: '0'.repeat(24), v: 1 } }]);
  await store.close();
  const format = MEMBERS.map(([name, text]) => `"${name}":${text}`).join(',');
  const values = MEMBERS.flatMap(([, , value]) => value ?? []).join(', ');
  const db = new DatabaseSync(join(path, 'cloister.db'));
  db.exec(`
    pragma synchronous=off;
    begin;
    with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${count})
    insert into d_1 (id, json) select printf('%024x', i), printf('{${format}}', ${values}) from numbers;
    update collections set documents = ${count + 1}, largest = 700,
      bytes = (select sum(length(json)) from d_1);
    commit;
  `);
  db.close();
}
