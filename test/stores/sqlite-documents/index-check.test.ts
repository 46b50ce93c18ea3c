import { expect, it } from 'vitest';
import type { StoredDocument } from '../../../src/stores/ports.ts';
import { IndexCheck, tablesOf } from '../../../src/stores/sqlite-documents/index-check.ts';
import { FREE, idOf, indexOf, NS, openWorkbench } from './workbench.ts';

function openIndex(...paths: string[]) {
  const bench = openWorkbench();
  bench.index(indexOf(...paths.map((path) => ({ path, fold: true }))));
  const index = bench.catalogue.get(NS)!.indexes[0]!;
  const keysOf = (document: StoredDocument) => bench.rowMaker(index)(document, FREE).exact;
  return { bench, index, keysOf, check: new IndexCheck(bench), tables: tablesOf(index) };
}

it('has a table for exact keys, and one for folded keys where a key ignores case', () => {
  expect(openIndex('a').tables.map(({ name }) => name)).toEqual(['i_1', 'f_1']);
  expect(tablesOf({ ...openIndex('a').index, folded: false }).map(({ name }) => name)).toEqual(['i_1']);
});

it('takes a surplus row for a missing one of the same document, as far as that goes', () => {
  const { check, index, tables, keysOf } = openIndex('a');
  const document = { _id: idOf(1), a: ['x', 'y'] };
  const strange = keysOf({ _id: idOf(1), a: ['p', 'q', 'r'] });
  for (const key of strange) check.row(index, tables[0]!, [key, 1], document);
  check.row(index, tables[0]!, [strange[0]!, 2]);
  check.document({ ...index, folded: false, multikey: 1 }, 1, document);
  expect(check.faults).toEqual({ missing: 0, wrong: 2, surplus: 2, unmarked: 0 });
});

it('counts a document with arrays that no index can hold', () => {
  const { check, index } = openIndex('a', 'b');
  check.document(index, 1, { _id: idOf(1), a: [1], b: [2] });
  expect(check.faults).toMatchObject({ missing: 1, unmarked: 0 });
});
