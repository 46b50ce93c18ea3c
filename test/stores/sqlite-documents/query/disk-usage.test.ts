import { expect, it } from 'vitest';
import { WorkLimitExceeded } from '../../../../src/stores/sqlite-documents/data-file/connection.ts';
import { measureDiskUsage } from '../../../../src/stores/sqlite-documents/query/disk-usage.ts';
import { indexOf, NO_LIMIT, NS, openTestDatabase } from '../test-database.ts';

it('the size of documents and of every index is measured, including the one on ids', () => {
  const bench = openTestDatabase();
  bench.index(indexOf({ path: 'a' }));
  bench.fill(Array.from({ length: 500 }, (_, n) => ({ a: `text ${n}` })));
  const space = measureDiskUsage(bench, NS, { workLimit: NO_LIMIT, maxText: Infinity });
  expect(Object.keys(space.indexes)).toEqual(['_id_', 'a']);
  expect(space.documents).toBeGreaterThan(500 * 20);
  expect(space.text).toBe(
    500 * JSON.stringify({ _id: 'x'.repeat(24), a: 'text ' }).length + 10 + 2 * 90 + 3 * 400,
  );
  expect(space.indexes['a']).toBeGreaterThan(500 * 30);
});

it('large collections exceed the limit, and missing ones have no size', () => {
  const bench = openTestDatabase();
  expect(measureDiskUsage(bench, NS, { workLimit: NO_LIMIT, maxText: 0 })).toEqual({
    text: 0,
    documents: 0,
    indexes: {},
  });
  bench.fill([{ a: 1 }]);
  expect(() => measureDiskUsage(bench, NS, { workLimit: NO_LIMIT, maxText: 10 })).toThrow(WorkLimitExceeded);
});
