// Random documents and queries: with any indexes, a store must find what plain evaluation finds, in the same order.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import type { Filter, Test, TypeName } from '../../src/stores/filter.ts';
import { compileFilter } from '../../src/stores/matching/match.ts';
import { compareDocuments } from '../../src/stores/matching/order.ts';
import type {
  DocumentStore,
  IndexDefinition,
  Namespace,
  Sort,
  StoredDocument,
  Write,
} from '../../src/stores/ports.ts';

const PATHS = ['a', 'b', 'c', 'a.x', 'c.x', 'c.y', 'a.0', '_id'] as const;

const number = fc.constantFrom(-1e300, -2.5, -1, -0, 0, 0.1, 1, 2, 255, 256, 3e9, 1e300);
const text = fc.constantFrom(
  '',
  'a',
  'A',
  'ab',
  'a\0b',
  'a\0',
  'ß',
  'K',
  'k',
  '\u212a',
  'ſ',
  's',
  'é',
  '😀',
  '\uffff',
  '_',
  '%',
  '"',
  '\\',
);
const scalar: fc.Arbitrary<Json> = fc.oneof(number, text, fc.boolean(), fc.constant(null));
const object: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.constantFrom('x', 'y'),
  fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })),
  {
    maxKeys: 2,
  },
);
const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 1, arbitrary: object },
  {
    weight: 2,
    arbitrary: fc.array(fc.oneof(scalar, object, fc.array(scalar, { maxLength: 2 })), { maxLength: 3 }),
  },
);

const fields = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { maxKeys: 3 });

const test: fc.Arbitrary<Test> = fc.oneof(
  { weight: 3, arbitrary: value.map((operand): Test => ({ kind: 'eq', value: operand })) },
  { weight: 3, arbitrary: text.map((operand): Test => ({ kind: 'eq', value: operand, fold: true })) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte', 'ne'), value)
      .map(([kind, operand]) => ({ kind, value: operand }) as Test),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('in', 'nin', 'all'), fc.array(value, { maxLength: 3 }))
      .map(([kind, values]) => ({ kind, values }) as Test),
  },
  fc.boolean().map((operand): Test => ({ kind: 'exists', value: operand })),
  fc
    .constantFrom('^a', '^a.b', 'b', '^(?:a|k)', '^aa?')
    .map((pattern): Test => ({ kind: 'regex', pattern, flags: '' })),
  fc
    .constantFrom<TypeName>('string', 'number', 'array', 'null')
    .map((name): Test => ({ kind: 'type', names: [name] })),
  value.map((operand): Test => ({ kind: 'not', tests: [{ kind: 'eq', value: operand }] })),
  fc.tuple(scalar, scalar).map(
    ([low, high]): Test => ({
      kind: 'elemMatchValue',
      tests: [
        { kind: 'gte', value: low },
        { kind: 'lte', value: high },
      ],
    }),
  ),
);

const field: fc.Arbitrary<Filter> = fc
  .tuple(fc.constantFrom(...PATHS), fc.array(test, { minLength: 1, maxLength: 2 }))
  .map(([path, tests]) => ({ kind: 'field', path, tests }));

const filter: fc.Arbitrary<Filter> = fc.oneof(
  { weight: 3, arbitrary: field },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('and', 'and', 'or', 'nor'), fc.array(field, { minLength: 1, maxLength: 3 }))
      .map(([kind, filters]) => ({ kind, filters }) as Filter),
  },
);

const direction = fc.constantFrom<1 | -1>(1, -1);
const sort: fc.Arbitrary<Sort> = fc.array(fc.tuple(fc.constantFrom(...PATHS), direction), { maxLength: 2 });

const definition: fc.Arbitrary<Omit<IndexDefinition, 'name'>> = fc.record({
  keys: fc.uniqueArray(
    fc.record({ path: fc.constantFrom('a', 'b', 'c', 'a.x', 'c.x', 'c.y'), direction, fold: fc.boolean() }),
    { minLength: 1, maxLength: 2, selector: (key) => key.path },
  ),
  unique: fc.constant(false),
  sparse: fc.boolean(),
});

let round = 0;

function outcome(work: () => readonly JsonObject[]): readonly JsonObject[] | 'refused' {
  try {
    return work();
  } catch {
    return 'refused';
  }
}

async function fill(
  store: DocumentStore,
  ns: Namespace,
  documents: readonly StoredDocument[],
): Promise<void> {
  for (const document of documents) {
    const write: Write = { kind: 'insert', ns, document };
    await store.commit([write]).catch((error: { reason: string }) => {
      if (error.reason !== 'parallel-arrays') throw error;
    });
  }
}

/** Registers the test; `current` gives the store of the moment. */
export function documentStoreDifferential(current: () => DocumentStore, runs: number): void {
  it('finds what plain evaluation finds, whatever the indexes', { timeout: 60_000 }, async () => {
    const queries = fc.array(fc.record({ filter, sort, skip: fc.nat(3), limit: fc.constantFrom(2, 100) }), {
      minLength: 12,
      maxLength: 12,
    });
    const content = fc.array(fields, { minLength: 1, maxLength: 25 });
    const indexes = fc.array(definition, { maxLength: 3 });
    const property = fc.asyncProperty(content, indexes, queries, async (contents, definitions, asked) => {
      const store = current();
      round += 1;
      const ns = { database: null, collection: `random-${round}` };
      const documents = contents.map((entry, at) => ({
        _id: (at * 7919).toString(16).padStart(24, '0'),
        ...entry,
      }));
      const early = documents.slice(0, documents.length / 2);
      await fill(store, ns, early);
      const named = definitions.map((entry, at) => ({ ...entry, name: `i${at}` }));
      const { built } = await store.ensureIndexes(ns, named);
      await built.catch(() => undefined);
      await fill(store, ns, documents.slice(early.length));
      const stored = await store.find(ns, {
        filter: { kind: 'and', filters: [] },
        sort: [],
        skip: 0,
        limit: 1000,
      });
      for (const ask of asked) {
        const matches = stored.filter(compileFilter(ask.filter));
        const expected = outcome(() =>
          matches.toSorted(compareDocuments(ask.sort)).slice(ask.skip, ask.skip + ask.limit),
        );
        const found = await store.find(ns, ask).catch((error: { reason: string }) => {
          if (error.reason === 'parallel-arrays') return 'refused' as const;
          throw error;
        });
        // An index cannot hold what a sort refuses, so only a store without one may refuse more or less.
        if (expected !== 'refused' && found !== 'refused') {
          expect(found.map((document) => document['_id'])).toEqual(
            expected.map((document) => document['_id']),
          );
        }
        expect(await store.count(ns, ask.filter)).toBe(matches.length);
      }
    });
    await fc.assert(property, { numRuns: runs, interruptAfterTimeLimit: 40_000 });
  });
}
