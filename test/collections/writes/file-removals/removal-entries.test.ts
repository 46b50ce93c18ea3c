import { expect, test } from 'vitest';
import {
  CLAIM_MS,
  claimEntry,
  createEntries,
  decodeEntry,
  deleteEntry,
  insertEntry,
  REMOVALS_NAMESPACE,
} from '../../../../src/collections/writes/file-removals/removal-entries.ts';

const SPACE = { database: 'library', collection: 'images' };

function entriesOf(paths: readonly unknown[]) {
  let made = 0;
  const generateId = () => {
    made += 1;
    return `e${made}`;
  };
  const records = paths.map((path, n) => ({ _id: `${n}`, path: path as string }));
  return createEntries(SPACE, records, { by: 'me', at: 1000, generateId });
}

test('an entry names each path once, and nothing that is none', () => {
  const [entry, ...more] = entriesOf(['a', 'b', 'a', '', 5, null, ['c'], 'x'.repeat(4097)]);
  expect(more).toEqual([]);
  expect(entry).toMatchObject({ id: 'e1', v: 1, paths: ['a', 'b'], createdAt: 1000, claimedBy: 'me' });
  expect(entriesOf([])).toEqual([]);
});

test('no entry has more than 500 paths', () => {
  const entries = entriesOf(Array.from({ length: 1001 }, (_, n) => `p${n}`));
  expect(entries.map(({ paths }) => paths.length)).toEqual([500, 500, 1]);
});

test('an entry of a removal is stored, claimed and forgotten in the state in which it was read', () => {
  const [entry] = entriesOf(['a']);
  const stored = insertEntry(entry!);
  expect(stored).toMatchObject({ kind: 'insert', ns: REMOVALS_NAMESPACE });
  expect(stored.kind === 'insert' && decodeEntry(stored.document)).toEqual(entry);
  const { entry: claimed, write } = claimEntry(entry!, { by: 'other', at: 9000 });
  expect(write).toMatchObject({ kind: 'update', id: 'e1', v: 1 });
  expect(write.kind === 'update' && decodeEntry(write.document)).toEqual(claimed);
  expect(claimed).toMatchObject({ v: 2, claimedBy: 'other', claimedUntil: 9000 + CLAIM_MS, createdAt: 1000 });
  expect(deleteEntry(claimed)).toEqual({ kind: 'remove', ns: REMOVALS_NAMESPACE, id: 'e1', v: 2 });
});

test('an entry without a database of its own is read as such', () => {
  const [entry] = createEntries({ database: null, collection: 'images' }, [{ _id: '1', path: 'a' }], {
    by: 'me',
    at: 1,
    generateId: () => 'e1',
  });
  const stored = insertEntry(entry!);
  expect(stored.kind === 'insert' && decodeEntry(stored.document).namespace.database).toBe(null);
});
