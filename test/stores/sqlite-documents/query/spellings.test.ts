import type { StatementSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import type { Filter } from '../../../../src/stores/filter.ts';
import { createPredicate } from '../../../../src/stores/matching/filter-predicate.ts';
import type { IndexDefinition } from '../../../../src/stores/ports.ts';
import { applyWrites } from '../../../../src/stores/sqlite-documents/commit/apply-writes.ts';
import { WorkLimitExceeded } from '../../../../src/stores/sqlite-documents/data-file/connection.ts';
import { encodeValue } from '../../../../src/stores/sqlite-documents/indexes/index-keys.ts';
import {
  countMatches,
  createQueryContext,
  textsOfQuery,
} from '../../../../src/stores/sqlite-documents/query/execute.ts';
import type { Plan } from '../../../../src/stores/sqlite-documents/query/plan.ts';
import { createSpellingResolver } from '../../../../src/stores/sqlite-documents/query/spellings.ts';
import { indexOf, insertThing, NO_LIMIT, NS, openTestDatabase } from '../test-database.ts';

const ignoringCase = (path: string, value: string): Filter => ({
  kind: 'field',
  path,
  tests: [{ kind: 'eq', value, caseInsensitive: true }],
});
const equal = (path: string, value: string | number): Filter => ({
  kind: 'field',
  path,
  tests: [{ kind: 'eq', value }],
});
const all = (...filters: Filter[]): Filter => ({ kind: 'and', filters });

function open(documents: readonly JsonObject[], ...definitions: IndexDefinition[]) {
  const bench = openTestDatabase();
  for (const definition of definitions) bench.index(definition);
  bench.fill(documents);
  const resolve = createSpellingResolver(bench.connection);
  let steps = 0;
  const counting = {
    tick() {
      steps += 1;
    },
  };
  return {
    bench,
    resolve: (filter: Filter) => resolve(bench.catalogue.get(NS)!, filter, counting),
    /** The steps of all skip scans so far. */
    steps: () => steps,
  };
}

const CITIES = ['Kiel', 'KIEL', 'kiel', 'kiel', '\u212aiel', 'Kiew', 'Kie', 'kielx', 1, null, { a: 1 }];

describe('spellings', () => {
  it.each([1, -1] as const)('are taken from the index, in direction %i', (direction) => {
    const documents = CITIES.map((city) => ({ city }));
    const { resolve } = open(documents, indexOf({ path: 'city', direction }));
    expect(resolve(ignoringCase('city', 'kIEL'))).toEqual(
      all({
        kind: 'field',
        path: 'city',
        tests: [{ kind: 'in', values: ['KIEL', 'Kiel', 'kiel', '\u212aiel'] }],
      }),
    );
    expect(resolve(ignoringCase('city', 'KIEW'))).toEqual(all(equal('city', 'Kiew')));
    expect(resolve(ignoringCase('city', 'Rom'))).toEqual(
      all({ kind: 'field', path: 'city', tests: [{ kind: 'in', values: [] }] }),
    );
  });

  it('need no look at the index for text without case', () => {
    const { resolve, steps } = open([{ city: '1-2' }], indexOf({ path: 'city' }));
    expect(resolve(ignoringCase('city', '1-2'))).toEqual(all(equal('city', '1-2')));
    expect(steps()).toBe(0);
  });

  it('are found in few steps, however many rows there are', () => {
    const documents = Array.from({ length: 2000 }, (_, n) => ({
      city: `${n % 2 ? 'a-common' : 'A-Common'} beginning ${n}`,
    }));
    const { resolve, steps } = open(documents, indexOf({ path: 'city' }));
    expect(resolve(ignoringCase('city', 'A-COMMON BEGINNING 151'))).toEqual(
      all(equal('city', 'a-common beginning 151')),
    );
    expect(steps()).toBeLessThan(60);
  });

  it('of long text are found among all that begin like it', () => {
    const long = 'ab'.repeat(400);
    const documents = [{ city: `${long}X` }, { city: `${long}y` }, { city: long.toUpperCase() }];
    const { resolve } = open(documents, indexOf({ path: 'city' }));
    expect(resolve(ignoringCase('city', `${long}x`))).toEqual(all(equal('city', `${long}X`)));
  });

  it('of a later key are those beside the values of the keys before it', () => {
    const documents = ['x', 'X', 'xy'].flatMap((city, n) => [
      { n, city },
      { n: 9, city: city.toUpperCase() },
    ]);
    const { resolve } = open(documents, indexOf({ path: 'n' }, { path: 'city', direction: -1 }));
    expect(resolve(all(equal('n', 0), ignoringCase('city', 'X')))).toEqual(
      all(equal('n', 0), equal('city', 'x')),
    );
    const unbound = ignoringCase('city', 'X');
    expect(resolve(unbound)).toEqual(all(unbound));
  });

  it('are looked up again after a write, and not before', () => {
    const { bench, resolve, steps } = open([{ city: 'Rom' }], indexOf({ path: 'city' }));
    const filter = ignoringCase('city', 'rom');
    const first = resolve(filter);
    const taken = steps();
    expect(resolve(filter)).toBe(first);
    expect(steps()).toBe(taken);
    applyWrites(bench, [insertThing(7, { city: 'ROM' })], NO_LIMIT);
    expect(resolve(filter)).toEqual(
      all({ kind: 'field', path: 'city', tests: [{ kind: 'in', values: ['ROM', 'Rom'] }] }),
    );
  });

  it('are looked up again when an index becomes ready', () => {
    const { bench, resolve } = open([{ city: 'Rom' }], indexOf({ path: 'city' }));
    const [index] = bench.catalogue.get(NS)!.indexes;
    index!.ready = false;
    const filter = ignoringCase('city', 'rom');
    expect(resolve(filter)).toEqual(all(filter));
    index!.ready = true;
    expect(resolve(filter)).toEqual(all(equal('city', 'Rom')));
  });

  it('are not looked for in an index that is out of order', () => {
    const { bench } = open([{ city: 'Rom' }], indexOf({ path: 'city' }));
    const first = encodeValue('A');
    const statement = { get: () => [first] } as unknown as StatementSync;
    const resolve = createSpellingResolver({ ...bench.connection, statement: () => statement });
    const entry = bench.catalogue.get(NS)!;
    expect(() => resolve(entry, ignoringCase('city', 'rom'), NO_LIMIT)).toThrow('out of order');
  });

  it('cost what the work limit allows', () => {
    const documents = Array.from({ length: 256 }, (_, n) => ({
      city: [...'spelling'].map((letter, at) => ((n >> at) % 2 ? letter.toUpperCase() : letter)).join(''),
    }));
    const { bench } = open(documents, indexOf({ path: 'city' }));
    let left = 50;
    const workLimit = {
      tick() {
        left -= 1;
        if (left < 0) throw new WorkLimitExceeded();
      },
    };
    const query = { filter: ignoringCase('city', 'Spelling'), sort: [], skip: 0, limit: 10 };
    const context = createQueryContext(bench);
    expect(() => textsOfQuery(context, NS, query, { workLimit })).toThrow(WorkLimitExceeded);
    expect(countMatches(context, NS, query.filter, { workLimit: NO_LIMIT })).toBe(256);
  });
});

describe('a query that ignores case', () => {
  it('reads an index in its order where the text has one spelling', () => {
    const documents = Array.from({ length: 50 }, (_, n) => ({ city: n % 2 ? 'Rom' : 'Kiel', n }));
    const { bench } = open(documents, indexOf({ path: 'city' }, { path: 'n' }));
    const plans: Plan[] = [];
    const query = { filter: ignoringCase('city', 'ROM'), sort: [['n', -1]] as const, skip: 1, limit: 2 };
    const texts = textsOfQuery(createQueryContext(bench), NS, query, {
      workLimit: NO_LIMIT,
      accept: (plan) => plans.push(plan),
    });
    expect(texts.map((text) => JSON.parse(text).n)).toEqual([47, 45]);
    expect(plans).toMatchObject([{ exact: true, sorted: true, access: { kind: 'index' } }]);
  });

  const text = fc.string({
    unit: fc.constantFrom('a', 'A', 'k', 'K', '\u212a', 'é', 'É', '1'),
    maxLength: 3,
  });
  const value = fc.oneof(
    text,
    fc.constantFrom(null, 1),
    fc.array(fc.oneof(text, fc.constant(2)), { maxLength: 3 }),
  );
  const document = fc.record({ a: value, b: text }, { requiredKeys: [] });
  const direction = fc.constantFrom<1 | -1>(1, -1);

  it('finds what the filter matches, by whichever index', () => {
    fc.assert(
      fc.property(
        fc.array(document, { minLength: 1, maxLength: 12 }),
        fc.record({ a: text, b: text, either: fc.boolean(), sparse: fc.boolean() }),
        fc.tuple(direction, direction),
        (documents, { a, b, either, sparse }, [first, second]) => {
          const { bench } = open(
            documents,
            { ...indexOf({ path: 'a', direction: first }, { path: 'b', direction: second }), sparse },
            indexOf({ path: 'b', direction: second }),
          );
          const filters = [ignoringCase('a', a), ignoringCase('b', b)];
          const filter: Filter = either ? { kind: 'or', filters } : all(...filters);
          const matches = createPredicate(filter);
          const expected = documents.flatMap((fields, n) => (matches({ _id: '', ...fields }) ? [n + 1] : []));
          const query = { filter, sort: [], skip: 0, limit: 100 };
          const context = createQueryContext(bench);
          const found = textsOfQuery(context, NS, query, { workLimit: NO_LIMIT });
          expect(found.map((json) => Number.parseInt(JSON.parse(json)._id, 16))).toEqual(expected);
          expect(countMatches(context, NS, filter, { workLimit: NO_LIMIT })).toBe(expected.length);
        },
      ),
      { numRuns: 300 },
    );
  });
});
