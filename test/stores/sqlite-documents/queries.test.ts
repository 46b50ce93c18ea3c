import { describe, expect, it } from 'vitest';
import { estimateRegexSize } from '../../../src/lib/regex/linear-regex.ts';
import { type Filter, type FilterTest, MATCH_ALL } from '../../../src/stores/filter.ts';
import type { FindQuery } from '../../../src/stores/ports.ts';
import { filterCostOf } from '../../../src/stores/sqlite-documents/queries.ts';
import { openStoreParts } from './store-parts.ts';
import { idOf, insertThing, NS } from './test-database.ts';

const query = (parts: Partial<FindQuery>): FindQuery => ({
  filter: MATCH_ALL,
  sort: [],
  skip: 0,
  limit: 10,
  ...parts,
});
const eq = (path: string, value: string | number): Filter => ({
  kind: 'field',
  path,
  tests: [{ kind: 'eq', value }],
});

function filled(count: number, text: number) {
  const joined = openStoreParts();
  joined.bench.fill(Array.from({ length: count }, (_, n) => ({ n, text: 'x'.repeat(text) })));
  return joined;
}

describe('queries', () => {
  it('run on the main thread when short', async () => {
    const { queries, asked } = filled(100, 10);
    expect(await queries.find(NS, query({ filter: eq('_id', idOf(1)) }), {})).toMatchObject([{ n: 0 }]);
    expect(await queries.find(NS, query({ filter: eq('_id', idOf(999)) }), {})).toEqual([]);
    expect(await queries.find(NS, query({ filter: eq('n', 42) }), {})).toHaveLength(1);
    expect(await queries.findText(NS, query({ sort: [['n', -1]], limit: 2 }), {})).toHaveLength(2);
    expect(await queries.count(NS, eq('n', 42), {})).toBe(1);
    expect(await queries.stats(NS, {})).toMatchObject({ count: 100, indexes: 1 });
    expect(asked).toEqual([]);
  });

  it('are answered without a promise on the main thread', () => {
    const { queries } = filled(100, 10);
    const texts = queries.findText(NS, query({ filter: eq('_id', idOf(1)) }), {});
    expect(texts).toHaveLength(1);
    expect(queries.findPage(NS, query({ limit: 2 }), {})).toMatchObject({ count: 2 });
    expect(queries.findPage(NS, query({ filter: eq('_id', idOf(1)) }), {})).toEqual({
      text: (texts as string[])[0],
      count: 1,
    });
    expect(queries.count(NS, eq('n', 42), {})).toBe(1);
    expect(queries.count(NS, MATCH_ALL, {})).toBe(100);
  });

  it('give pages that are long, or that skip many documents, from a reader thread', async () => {
    const { queries, asked } = filled(10_050, 100);
    expect(await queries.findPage(NS, query({ skip: 10_045 }), {})).toMatchObject({ count: 5 });
    expect(await queries.findPage(NS, query({ limit: 9000 }), {})).toMatchObject({ count: 9000 });
    expect(asked).toEqual(['find', 'find']);
    expect(queries.findPage(NS, query({ skip: 10_050 }), {})).toEqual({ text: '', count: 0 });
  });

  it('run on a reader thread when they are long', async () => {
    const { queries, asked } = filled(2000, 500);
    expect(await queries.find(NS, query({ sort: [['n', -1]], limit: 1 }), {})).toMatchObject([{ n: 1999 }]);
    expect(await queries.findText(NS, query({ limit: 2000 }), {})).toHaveLength(2000);
    expect(await queries.count(NS, eq('text', 'y'), {})).toBe(0);
    expect(await queries.stats(NS, {})).toMatchObject({ count: 2000 });
    expect(asked).toEqual(['find', 'find', 'count', 'space']);
  });

  it('run on a reader thread if they skip many documents, and nowhere if they skip all', async () => {
    const { queries, asked } = filled(10_050, 1);
    expect(await queries.findText(NS, query({ skip: 10_045 }), {})).toHaveLength(5);
    expect(asked).toEqual(['find']);
    expect(await queries.findText(NS, query({ skip: 10_050, sort: [['n', 1]] }), {})).toEqual([]);
    expect(asked).toEqual(['find']);
  });

  it('run on a reader thread if their filter is expensive', async () => {
    const { queries, asked } = filled(10, 1000);
    const where = (test: FilterTest): Filter => ({ kind: 'field', path: 'text', tests: [test] });
    const pattern = (text: string) => where({ kind: 'regex', pattern: text, flags: '' });
    const among = (count: number) =>
      where({ kind: 'in', values: Array.from({ length: count }, (_, n) => n) });
    expect(await queries.findText(NS, query({ filter: pattern('^x'), limit: 1 }), {})).toHaveLength(1);
    expect(await queries.count(NS, among(1000), {})).toBe(0);
    expect(asked).toEqual([]);
    expect(await queries.findText(NS, query({ filter: pattern('x{200}') }), {})).toHaveLength(10);
    expect(await queries.count(NS, pattern('y{50}'), {})).toBe(0);
    expect(await queries.count(NS, among(5000), {})).toBe(0);
    expect(asked).toEqual(['find', 'count', 'count']);
  });

  it('find documents by their ids on a reader thread when they are long', async () => {
    const { queries, asked } = filled(2000, 800);
    const ids = Array.from({ length: 2000 }, (_, n) => idOf(n + 1));
    expect(queries.findByIds(NS, ids.slice(0, 100), {})).toMatchObject({ size: 100 });
    expect(asked).toEqual([]);
    expect(await queries.findByIds(NS, ids, {})).toMatchObject({ size: 2000 });
    expect(asked).toEqual(['find']);
  });

  it('use a cached count until the next write', async () => {
    const { queries, asked, commits } = filled(2000, 500);
    const filter = eq('text', 'y');
    expect(await queries.count(NS, filter, {})).toBe(0);
    expect(await queries.count(NS, filter, {})).toBe(0);
    expect(asked).toEqual(['count']);
    await commits.commit([insertThing(9000, { text: 'y' })], {});
    expect(await queries.count(NS, filter, {})).toBe(1);
    expect(asked).toEqual(['count', 'count']);
  });

  it('end at their deadline', async () => {
    const { queries } = filled(2000, 500);
    const deadline = Date.now() - 1;
    for (const work of [
      () => queries.find(NS, query({}), { deadline }),
      () => queries.findText(NS, query({}), { deadline }),
      () => queries.findPage(NS, query({}), { deadline }),
      () => queries.count(NS, MATCH_ALL, { deadline }),
      () => queries.stats(NS, { deadline }),
    ]) {
      await expect(async () => work()).rejects.toMatchObject({ reason: 'timeout' });
    }
  });
});

const onField = (...tests: readonly FilterTest[]): Filter => ({ kind: 'field', path: 'a', tests });
const pattern: FilterTest = { kind: 'regex', pattern: 'a{10}', flags: '' };

describe('the cost of a filter', () => {
  it('is the number of tests and values', () => {
    expect(filterCostOf(MATCH_ALL)).toEqual({ patterns: 0, operands: 0 });
    const both = onField({ kind: 'eq', value: 1 }, { kind: 'in', values: [1, 2, 3] });
    expect(filterCostOf({ kind: 'or', filters: [both, both] })).toEqual({ patterns: 0, operands: 10 });
  });

  it('includes patterns at every level', () => {
    const inside: Filter = {
      kind: 'nor',
      filters: [
        onField(pattern),
        onField({ kind: 'not', tests: [pattern] }),
        onField({ kind: 'elemMatch', filter: onField(pattern) }),
        onField({ kind: 'elemMatchValue', tests: [pattern] }),
      ],
    };
    expect(filterCostOf(inside)).toEqual({ patterns: 4 * estimateRegexSize('a{10}', ''), operands: 7 });
  });
});
