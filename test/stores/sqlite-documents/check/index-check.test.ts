import { expect, it } from 'vitest';
import type { StoredDocument } from '../../../../src/stores/ports.ts';
import { IndexCheck, tablesOfIndex } from '../../../../src/stores/sqlite-documents/check/index-check.ts';
import { idOf, indexOf, NO_LIMIT, NS, openTestDatabase } from '../test-database.ts';

function openIndex(...paths: string[]) {
  const bench = openTestDatabase();
  bench.index(indexOf(...paths.map((path) => ({ path, fold: true }))));
  const index = bench.catalogue.get(NS)!.indexes[0]!;
  const keysOf = (document: StoredDocument) => bench.rowEncoder(index)(document, NO_LIMIT).exact;
  return { bench, index, keysOf, check: new IndexCheck(bench), tables: tablesOfIndex(index) };
}

it('an index has a table of exact keys, and one of case-folded keys if a key ignores case', () => {
  expect(openIndex('a').tables.map(({ name }) => name)).toEqual(['i_1', 'f_1']);
  expect(tablesOfIndex({ ...openIndex('a').index, caseInsensitive: false }).map(({ name }) => name)).toEqual([
    'i_1',
  ]);
});

it('a surplus row is paired with a missing row of the same document', () => {
  const { check, index, tables, keysOf } = openIndex('a');
  const document = { _id: idOf(1), a: ['x', 'y'] };
  const strange = keysOf({ _id: idOf(1), a: ['p', 'q', 'r'] });
  for (const key of strange) check.checkRow(index, tables[0]!, [key, 1], document);
  check.checkRow(index, tables[0]!, [strange[0]!, 2]);
  check.checkDocument({ ...index, caseInsensitive: false, multikey: 1 }, 1, document);
  expect(check.issues).toEqual({ missing: 0, wrong: 2, surplus: 2, unmarked: 0 });
});

it('a document with arrays that an index cannot hold counts as missing', () => {
  const { check, index } = openIndex('a', 'b');
  check.checkDocument(index, 1, { _id: idOf(1), a: [1], b: [2] });
  expect(check.issues).toMatchObject({ missing: 1, unmarked: 0 });
});
