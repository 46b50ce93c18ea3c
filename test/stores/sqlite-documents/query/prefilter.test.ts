import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../../src/lib/json/json.ts';
import type { Filter, FilterTest } from '../../../../src/stores/filter.ts';
import { createPredicate } from '../../../../src/stores/matching/filter-predicate.ts';
import { createPrefilter } from '../../../../src/stores/sqlite-documents/query/prefilter.ts';
import { nestedTests, nestedValue } from '../nested-tests.ts';

const db = new DatabaseSync(':memory:');

function passes(document: JsonObject, filter: Filter): boolean {
  const { sql, values } = createPrefilter(filter, { kind: 'scan' });
  const statement = db.prepare(`select 1 from (select ? as json) where true${sql}`);
  return statement.get(JSON.stringify(document), ...values) !== undefined;
}

const field = (path: string, ...tests: FilterTest[]): Filter => ({ kind: 'field', path, tests });

describe('the prefilter of a scan', () => {
  const text = fc.oneof(
    fc.constantFrom(
      'k',
      'K',
      '\u212a',
      's',
      'ſ',
      'ß',
      '"',
      '\\',
      '%',
      '_',
      '\0',
      '\n',
      '😀',
      'É',
      'é',
      '\u2028',
    ),
    fc.string({ unit: 'grapheme', maxLength: 4 }),
    fc.string({ unit: 'grapheme', minLength: 60, maxLength: 70 }),
  );
  const scalar: fc.Arbitrary<Json> = fc.oneof(
    text,
    fc.constantFrom<Json>(null, true, false, 0, -0, 1, 15, 0.1, 1e21, 1e-7, -1e300, 9007199254740992),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
  const value: fc.Arbitrary<Json> = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 2 }),
    fc.record({ b: scalar, '0': scalar }),
  );
  const name = fc.constantFrom('a', 'b', 'a.b', 'a.0', 'x y', 'é', '"q"');
  const test: fc.Arbitrary<FilterTest> = fc.oneof(
    value.map((operand): FilterTest => ({ kind: 'eq', value: operand })),
    text.map((operand): FilterTest => ({ kind: 'eq', value: operand, caseInsensitive: true })),
    fc.array(scalar, { maxLength: 3 }).map((values): FilterTest => ({ kind: 'in', values })),
    fc
      .tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte', 'ne'), value)
      .map(([kind, operand]) => ({ kind, value: operand }) as FilterTest),
    fc.boolean().map((operand): FilterTest => ({ kind: 'exists', value: operand })),
    fc.constant<FilterTest>({ kind: 'regex', pattern: '.', flags: '' }),
    fc.constantFrom<FilterTest>(
      { kind: 'type', names: ['array'] },
      { kind: 'type', names: ['array', 'null'] },
      { kind: 'size', value: 1 },
      { kind: 'elemMatchValue', tests: [{ kind: 'exists', value: true }] },
      { kind: 'elemMatch', filter: field('0', { kind: 'exists', value: true }) },
    ),
  );
  const own = fc.constantFrom('a', 'b', 'x y', 'é', '"q"');

  it('passes every match, also with nested arrays', () => {
    const path = fc.constantFrom('a', 'a.x', 'a.0');
    fc.assert(
      fc.property(path, nestedTests, nestedValue, (at, tests, a) => {
        const filter = field(at, ...tests);
        if (createPredicate(filter)({ a })) expect(passes({ a }, filter)).toBe(true);
      }),
      { numRuns: 4000 },
    );
  });

  it('passes every match', () => {
    let matched = 0;
    fc.assert(
      fc.property(
        fc.dictionary(own, value, { maxKeys: 4 }),
        name,
        fc.array(test, { minLength: 1, maxLength: 2 }),
        (document, path, tests) => {
          const filter = field(path, ...tests);
          if (!createPredicate(filter)(document)) return;
          matched += 1;
          expect(passes(document, filter)).toBe(true);
        },
      ),
      { numRuns: 5000 },
    );
    expect(matched).toBeGreaterThan(300);
  });

  it('passes the value that the document was created with', () => {
    fc.assert(
      fc.property(own, scalar, fc.boolean(), (path, stored, inArray) => {
        const document = { other: 1, [path]: inArray ? [1, stored] : stored };
        expect(passes(document, field(path, { kind: 'eq', value: stored }))).toBe(true);
        if (typeof stored === 'string') {
          const filter = field(path, { kind: 'eq', value: stored.toUpperCase(), caseInsensitive: true });
          if (createPredicate(filter)(document)) expect(passes(document, filter)).toBe(true);
        }
        if (typeof stored === 'number') {
          for (const kind of ['gte', 'lte'] as const) {
            expect(passes(document, field(path, { kind, value: stored }))).toBe(true);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('rejects most other documents', () => {
    const document = { title: 'Dune', price: 12, tags: ['a'] };
    expect(passes(document, field('title', { kind: 'eq', value: 'Emma' }))).toBe(false);
    expect(passes(document, field('title', { kind: 'eq', value: 'EMMA', caseInsensitive: true }))).toBe(
      false,
    );
    expect(passes(document, field('price', { kind: 'gt', value: 13 }))).toBe(false);
    expect(passes(document, field('price', { kind: 'lt', value: 11 }))).toBe(false);
    expect(passes(document, field('tags', { kind: 'in', values: ['b', 'c'] }))).toBe(false);
    expect(passes(document, field('isbn', { kind: 'exists', value: true }))).toBe(false);
    expect(passes(document, field('title', { kind: 'type', names: ['array'] }))).toBe(false);
    expect(passes(document, field('price', { kind: 'size', value: 1 }))).toBe(false);
  });

  it('is only used by accesses that read every document', () => {
    const access = { kind: 'ids', ids: [] } as const;
    expect(createPrefilter(field('a', { kind: 'eq', value: 1 }), access).sql).toBe('');
  });
});
