import { expect, it } from 'vitest';
import { OverBudget } from '../../../src/stores/sqlite-documents/meter.ts';
import { measure } from '../../../src/stores/sqlite-documents/space.ts';
import { FREE, indexOf, NS, openWorkbench } from './workbench.ts';

it('measures documents and every index, the one over ids included', () => {
  const bench = openWorkbench();
  bench.index(indexOf({ path: 'a', fold: true }));
  bench.fill(Array.from({ length: 500 }, (_, n) => ({ a: `text ${n}` })));
  const space = measure(bench, NS, { meter: FREE, mostText: Infinity });
  expect(Object.keys(space.indexes)).toEqual(['_id_', 'a']);
  expect(space.documents).toBeGreaterThan(500 * 20);
  expect(space.text).toBe(
    500 * JSON.stringify({ _id: 'x'.repeat(24), a: 'text ' }).length + 10 + 2 * 90 + 3 * 400,
  );
  // Two tables: the text as it is, and folded.
  expect(space.indexes['a']).toBeGreaterThan(2 * 500 * 30);
});

it('leaves large collections to others, and knows nothing of absent ones', () => {
  const bench = openWorkbench();
  expect(measure(bench, NS, { meter: FREE, mostText: 0 })).toEqual({ text: 0, documents: 0, indexes: {} });
  bench.fill([{ a: 1 }]);
  expect(() => measure(bench, NS, { meter: FREE, mostText: 10 })).toThrow(OverBudget);
});
