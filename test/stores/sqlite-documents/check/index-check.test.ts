import { expect, it } from 'vitest';
import type { StoredDocument } from '../../../../src/stores/ports.ts';
import { IndexCheck } from '../../../../src/stores/sqlite-documents/check/index-check.ts';
import { idOf, indexOf, NO_LIMIT, NS, openTestDatabase } from '../test-database.ts';

function openIndex(...paths: string[]) {
  const bench = openTestDatabase();
  bench.index(indexOf(...paths.map((path) => ({ path }))));
  const index = bench.catalogue.get(NS)!.indexes[0]!;
  const keysOf = (document: StoredDocument) => bench.rowEncoder(index)(document, NO_LIMIT).keys;
  return { bench, index, keysOf, check: new IndexCheck(bench) };
}

it('a surplus row is paired with a missing row of the same document', () => {
  const { check, index, keysOf } = openIndex('a');
  const document = { _id: idOf(1), a: ['x', 'y'] };
  const strange = keysOf({ _id: idOf(1), a: ['p', 'q', 'r'] });
  for (const key of strange) check.checkRow(index, [key, 1], document);
  check.checkRow(index, [strange[0]!, 2]);
  check.checkDocument({ ...index, multikey: 1 }, 1, document);
  expect(check.issues).toEqual({ missing: 0, wrong: 2, surplus: 2, unmarked: 0 });
});

it('a document with arrays that an index cannot hold counts as missing', () => {
  const { check, index } = openIndex('a', 'b');
  check.checkDocument(index, 1, { _id: idOf(1), a: [1], b: [2] });
  expect(check.issues).toMatchObject({ missing: 1, unmarked: 0 });
});
