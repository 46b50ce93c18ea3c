// Documents that refer to people, who refer to people; the same documents with the people in the place of their ids; and
// filters that must mean the same on both.
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { idOf } from '../../contracts/store-cases.ts';
import { pair } from './pair.ts';

const MOST_PEOPLE = 5;

/** As deep as a filter here looks through references. */
const LEVELS = 5;

const exact = { matchType: 'exact' };
const own = {
  name: { type: 'Mixed', ...exact },
  age: { type: 'Mixed', ...exact },
  tags: { type: 'Mixed', ...exact },
};

/** The specifications: people and what refers to them, with an index or without, and what holds them. */
export function specificationsOf(people: string, index: readonly JsonObject[]) {
  const settings = { storeRevisions: false, count: 1000, sort: 'n' };
  const toPeople = { type: 'Reference', settings: { collection: people } };
  return {
    people: { fields: { ...own, boss: toPeople }, settings },
    things: { fields: { n: { type: 'Number' }, who: toPeople }, settings: { ...settings, index } },
    flat: { fields: { n: { type: 'Number' }, who: { type: 'Mixed', ...exact } }, settings },
  } satisfies Record<string, JsonObject>;
}

const name = fc.constantFrom<Json>('a', 'b', 'c', null);
const age = fc.constantFrom<Json>(0, 1, 2, null);
const tag = fc.oneof<fc.Arbitrary<Json>[]>(age, name, fc.record({ x: age }));
const tags = fc.oneof<fc.Arbitrary<Json>[]>(
  tag,
  fc.array(fc.oneof(tag, fc.array(tag, { maxLength: 2 })), { maxLength: 3 }),
);

/** Ids of people, of whom some may not be there. */
const id = fc.integer({ min: 1, max: MOST_PEOPLE + 1 }).map(idOf);
const reference = fc.oneof(
  { weight: 3, arbitrary: id as fc.Arbitrary<Json> },
  {
    weight: 3,
    arbitrary: fc.array(fc.oneof({ weight: 6, arbitrary: id }, fc.constant(null)), { maxLength: 3 }),
  },
  { weight: 1, arbitrary: fc.constant(null) },
);

const person = fc.record({ name, age, tags, boss: reference }, { requiredKeys: [] });

export const people = fc.array(person as fc.Arbitrary<JsonObject>, { minLength: 1, maxLength: MOST_PEOPLE });

/** What their field `who` holds; undefined: nothing. */
export const references = fc.array(fc.oneof({ weight: 6, arbitrary: reference }, fc.constant(undefined)), {
  minLength: 1,
  maxLength: 12,
});

/** `value` with everybody in the place of their ids. The ids of nobody, and what lies too deep to be seen, stay. */
export function embed(value: Json, everybody: readonly JsonObject[], level = LEVELS): Json {
  if (Array.isArray(value)) return value.map((entry: Json) => embed(entry, everybody, level));
  const found = typeof value === 'string' ? everybody[Number.parseInt(value, 16) - 1] : undefined;
  if (found === undefined || level === 0) return value;
  const { boss, ...rest } = found;
  return boss === undefined ? rest : { ...rest, boss: embed(boss, everybody, level - 1) };
}

const scalar = fc.oneof(name, age);

/** Tests of a value that is no reference. */
const plain: fc.Arbitrary<JsonObject> = fc.letrec<{ tests: JsonObject }>((tie) => ({
  tests: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.tuple(fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte'), scalar).map(pair),
    fc.tuple(fc.constantFrom('$in', '$nin', '$all'), fc.array(scalar, { maxLength: 2 })).map(pair),
    fc.record({ $gte: age, $lte: age }),
    fc.boolean().map(($exists) => ({ $exists })),
    fc.constantFrom('string', 'number', 'array', 'object', 'null').map(($type) => ({ $type })),
    fc.nat(2).map(($size) => ({ $size })),
    tie('tests').map(($not) => ({ $not })),
    tie('tests').map(($elemMatch) => ({ $elemMatch })),
    scalar.map((x) => ({ $elemMatch: { x } })),
    fc.constantFrom('a', '^b').map(($regex) => ({ $regex })),
  ),
})).tests;

/** Tests of a field of references that do not tell an id from the document behind it. */
const bare: fc.Arbitrary<Json> = fc.oneof<fc.Arbitrary<Json>[]>(
  fc.constant(null),
  fc.boolean().map(($exists) => ({ $exists })),
  fc.nat(2).map(($size) => ({ $size })),
  fc.constantFrom('array', 'null').map(($type) => ({ $type })),
);

const { filter: ofPerson, condition } = fc.letrec<{ filter: JsonObject; condition: Json }>((tie) => ({
  /** What a Reference field is held against. */
  condition: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    bare,
    tie('filter').map(($elemMatch) => ({ $elemMatch })),
    tie('filter').map(($elemMatch) => ({ $not: { $elemMatch } })),
    fc.tuple(tie('filter'), fc.nat(2)).map(([$elemMatch, $size]) => ({ $elemMatch, $size })),
  ),
  /** What a person is held against. */
  filter: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    {
      weight: 4,
      arbitrary: fc
        .tuple(
          fc.constantFrom('name', 'age', 'tags', 'tags.x'),
          fc.oneof<fc.Arbitrary<Json>[]>(scalar, plain),
        )
        .map(pair),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom('$and', '$or', '$nor'),
          fc.array(tie('filter'), { minLength: 1, maxLength: 2 }),
        )
        .map(pair),
    },
    { weight: 1, arbitrary: tie('condition').map((boss) => ({ boss })) },
    { weight: 1, arbitrary: tie('filter').map((inner) => below('boss', inner)) },
  ),
}));

/** The filter one document further away. */
function below(field: string, inner: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(inner).map(([key, value]) => {
      if (!key.startsWith('$')) return [`${field}.${key}`, value];
      return [key, (value as readonly JsonObject[]).map((part) => below(field, part))];
    }),
  );
}

/** Filters of what refers to people. */
export const filter: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 4, arbitrary: ofPerson.map((inner) => below('who', inner)) },
  { weight: 1, arbitrary: condition.map((who) => ({ who })) },
  {
    weight: 1,
    arbitrary: fc.tuple(ofPerson, condition).map(([inner, who]) => ({ ...below('who', inner), who })),
  },
);
