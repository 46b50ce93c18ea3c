import { describe, expect, it } from 'vitest';
import { EVERYTHING, type Filter, type Test } from '../../../src/stores/filter.ts';
import type { FindQuery } from '../../../src/stores/ports.ts';
import { createBudget, OverBudget } from '../../../src/stores/sqlite-documents/meter.ts';
import type { Plan } from '../../../src/stores/sqlite-documents/plan-types.ts';
import { countMatches, findById, findTexts } from '../../../src/stores/sqlite-documents/read.ts';
import { FREE, idOf, indexOf, NS, openWorkbench, type Workbench } from './workbench.ts';

const field = (path: string, ...tests: Test[]): Filter => ({ kind: 'field', path, tests });

function find(bench: Workbench, parts: Partial<FindQuery>, meter = FREE) {
  const plans: Plan[] = [];
  const query: FindQuery = { filter: EVERYTHING, sort: [], skip: 0, limit: 100, ...parts };
  const accept = (plan: Plan) => plans.push(plan);
  const texts = findTexts(bench, NS, { query, meter, accept });
  return { numbers: texts.map((text) => JSON.parse(text).n as number), plan: plans[0]! };
}

function filled(count: number): Workbench {
  const bench = openWorkbench();
  bench.index(indexOf({ path: 'n' }));
  bench.index(indexOf({ path: 'tags', fold: true }, { path: 'n', direction: -1 }));
  bench.fill(
    Array.from({ length: count }, (_, n) => ({ n, tags: n % 3 === 0 ? ['x', 'Y'] : 'z', odd: n % 2 })),
  );
  return bench;
}

describe('reading', () => {
  it('goes by index for filter and order together', () => {
    const bench = filled(300);
    const filter = field('tags', { kind: 'eq', value: 'y', fold: true });
    const { numbers, plan } = find(bench, { filter, sort: [['n', -1]], limit: 3 });
    expect(numbers).toEqual([297, 294, 291]);
    expect(plan).toMatchObject({ access: { kind: 'index', folded: true }, exact: true, sorted: true });
  });

  it('sorts in memory what no index orders', () => {
    const { numbers, plan } = find(filled(50), {
      sort: [
        ['odd', -1],
        ['n', 1],
      ],
      skip: 1,
      limit: 3,
    });
    expect(numbers).toEqual([3, 5, 7]);
    expect(plan.sorted).toBe(false);
  });

  it('gives up an order that finds too little, and finds the same', () => {
    const bench = filled(25_000);
    const filter = field('odd', { kind: 'eq', value: 7 });
    const { numbers, plan } = find(bench, { filter, sort: [['n', 1]] });
    expect(plan.otherwise).toMatchObject({ access: { kind: 'scan' } });
    expect(numbers).toEqual([]);
  });

  it('ends when its meter says so, and leaves no transaction open', () => {
    const bench = filled(300);
    const sort = [['odd', 1]] as const;
    expect(() =>
      find(
        bench,
        { sort },
        createBudget(1000, 500, () => 0),
      ),
    ).toThrow(OverBudget);
    expect(bench.connection.db.isTransaction).toBe(false);
  });

  it('counts over the index alone where that is exact', () => {
    const bench = filled(300);
    const count = (filter: Filter) => countMatches(bench, NS, { filter, meter: FREE });
    expect(count(EVERYTHING)).toBe(300);
    expect(count(field('n', { kind: 'gte', value: 290 }))).toBe(10);
    expect(count(field('tags', { kind: 'in', values: ['x', 'Y', 'z'] }))).toBe(300);
    expect(count(field('odd', { kind: 'eq', value: 1 }))).toBe(150);
    expect(count(field('n', { kind: 'in', values: [1, 1, 2] }))).toBe(2);
  });

  it('finds by id', () => {
    const bench = filled(3);
    expect(JSON.parse(findById(bench, NS, idOf(2))!)).toMatchObject({ n: 1 });
    expect(findById(bench, NS, idOf(9))).toBeUndefined();
    expect(findById(bench, { database: 'x', collection: 'y' }, idOf(1))).toBeUndefined();
  });
});
