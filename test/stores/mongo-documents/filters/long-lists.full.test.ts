import { expect, it } from 'vitest';
import type { Filter, FilterTest } from '../../../../src/stores/filter.ts';
import {
  deduplicateLists,
  hasLongList,
  isTranslatableList,
} from '../../../../src/stores/mongo-documents/filters/long-lists.ts';

const field = (...tests: FilterTest[]): Filter => ({ kind: 'field', path: 'n', tests });
const digits = (many: number) => Array.from({ length: many }, (_, n) => n % 10);
const TEN = digits(10);

it('short lists are returned unchanged and synchronously', () => {
  const filter = field({ kind: 'in', values: digits(1000) });
  expect(deduplicateLists(filter)).toBe(filter);
  expect(hasLongList(filter)).toBe(false);
});

it('long lists are deduplicated anywhere in a filter', async () => {
  const long = (kind: 'in' | 'nin' | 'all'): FilterTest => ({ kind, values: digits(2000) });
  const short = (kind: 'in' | 'nin' | 'all'): FilterTest => ({ kind, values: TEN });
  const made = (list: typeof long): Filter => ({
    kind: 'or',
    filters: [
      field({ kind: 'exists', value: true }, list('in')),
      field({ kind: 'not', tests: [list('nin')] }, { kind: 'elemMatchValue', tests: [list('all')] }),
      field({ kind: 'elemMatch', filter: field(list('in')) }),
    ],
  });
  expect(hasLongList(made(long))).toBe(true);
  expect(await deduplicateLists(made(long))).toEqual(made(short));
});

it('deduplication yields to the event loop', async () => {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await deduplicateLists(field({ kind: 'in', values: Array.from({ length: 500_000 }, (_, n) => n) }));
  isDone = true;
  expect(turns).toBeGreaterThan(3);
});

it('lists that are too long for a command are recognized', () => {
  expect(isTranslatableList(digits(100_000))).toBe(true);
  expect(isTranslatableList(digits(100_001))).toBe(false);
  expect(isTranslatableList(Array.from({ length: 2000 }, () => 'x'.repeat(5000)))).toBe(false);
});
