// Specifications and documents of a generated world: every field type, with any settings and indexes.
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { idOf } from '../../contracts/store-cases.ts';
import { id, number, object, text, value } from './values.ts';

const INDEXED = [
  ...['text', 'tags', 'exact', 'num', 'flag', 'when', 'any', 'any.x', 'any.y', 'deep.x', 'who', 'code', 'v'],
  ...['text', 'num', 'text', 'createdBy', 'history'],
];

const direction = fc.constantFrom<1 | -1>(1, -1);

const index: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.uniqueArray(fc.tuple(fc.constantFrom(...INDEXED), direction), {
      minLength: 1,
      maxLength: 3,
      selector: ([path]) => path,
    }),
    fc.record({
      unique: fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, fc.constant(true)),
      sparse: fc.boolean(),
    }),
  )
  .map(([keys, options]) => ({ keys: Object.fromEntries(keys), options }));

/** Unique and sparse through a list, of which some elements have the field and others do not. */
const inLists: fc.Arbitrary<JsonObject> = fc.constantFrom('any.x', 'any.y', 'deep.x').map((path) => ({
  keys: { [path]: 1 },
  options: { unique: true, sparse: true },
}));

/**
 * Documents that break an index in two ways are refused for whichever the database looks at first. So that every refusal
 * can be compared, a unique index stands alone beside indexes of one key, which nothing can break, and only one of its own
 * keys can hold a list.
 */
const indexes = fc
  .array(fc.oneof({ weight: 5, arbitrary: index }, inLists), { maxLength: 3 })
  .map((all): readonly JsonObject[] => {
    const unique = all.find(({ options }) => (options as JsonObject)['unique'] === true);
    if (unique === undefined) return all;
    const others = all.filter(({ options }) => (options as JsonObject)['unique'] === false);
    return [
      { keys: withOneList(unique['keys'] as JsonObject), options: unique['options'] ?? null },
      ...others.map(({ keys, options }) => ({
        keys: firstKey(keys as JsonObject),
        options: options ?? null,
      })),
    ];
  });

const NEVER_LISTS = new Set(['num', 'flag', 'when', 'createdBy', 'v']);

function withOneList(keys: JsonObject): JsonObject {
  const [kept] = Object.keys(keys).filter((path) => !NEVER_LISTS.has(path));
  return Object.fromEntries(Object.entries(keys).filter(([path]) => NEVER_LISTS.has(path) || path === kept));
}

const firstKey = (keys: JsonObject): JsonObject => Object.fromEntries(Object.entries(keys).slice(0, 1));

const limiters = fc.constantFrom<Json>(
  ...[null, null, null, null, { text: 1, num: 1 }, { text: 0 }, { any: 0, _id: 0 }, { 'deep.x': 1 }],
);

const settings: fc.Arbitrary<JsonObject> = fc.record({
  storeRevisions: fc.boolean(),
  compose: fc.boolean(),
  sort: fc.constantFrom<Json>(null, 'text', 'num', 'any', 'tags', 'when'),
  sortOrder: direction,
  count: fc.constantFrom(3, 40),
  fieldLimiters: limiters,
  defaultFilters: fc.oneof(
    { weight: 8, arbitrary: fc.constant(null) },
    fc.constantFrom<Json>({ flag: true }, { text: 'a' }, { num: { $gt: 0 } }),
    { weight: 2, arbitrary: fc.constantFrom<Json>({ 'who.name': 'a' }, { 'who.age': { $gte: 0 } }) },
  ),
  index: indexes,
});

const matchType = fc.constantFrom<Json>('exact', 'ignoreCase', 'ignoreCase');

/** A specification whose Reference field points at `people`. */
export function specification(people: string): fc.Arbitrary<JsonObject> {
  return fc.tuple(settings, matchType, matchType).map(([chosen, ofText, ofCode]) => ({
    fields: {
      text: { type: 'String', matchType: ofText },
      tags: { type: 'String' },
      exact: { type: 'String', matchType: 'exact' },
      num: { type: 'Number' },
      flag: { type: 'Boolean' },
      when: { type: 'DateTime' },
      any: { type: 'Mixed' },
      deep: { type: 'Object' },
      code: { type: 'ObjectID', matchType: ofCode },
      who: { type: 'Reference', settings: { collection: people } },
    },
    settings: chosen,
  }));
}

/** What may become of `PEOPLE` while the same queries are asked: none of it changes a document. */
export const peopleChange: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject>(
  { fields: { name: { type: 'String', matchType: 'exact' }, age: { type: 'Number' } }, settings: {} },
  { fields: { name: { type: 'Mixed' }, age: { type: 'String' } }, settings: {} },
  { fields: { name: { type: 'String' }, age: { type: 'Number' } }, settings: { fieldLimiters: { age: 0 } } },
  { fields: { age: { type: 'Number' } }, settings: {} },
);

/** What the Reference field points at: a field that other documents are filtered by, through it. */
export const PEOPLE: JsonObject = {
  fields: { name: { type: 'String' }, age: { type: 'Number' } },
  settings: {},
};

const instant = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const when = fc.oneof(
  fc.constantFrom('2024-02-29', '2024-02-29T12:00:00Z', '2024-02-29T13:00:00+01:00'),
  instant,
);

const sometimes = <T>(usual: fc.Arbitrary<T>): fc.Arbitrary<T | null | Json> =>
  fc.oneof(
    { weight: 40, arbitrary: usual },
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: value },
  );

/** A list some elements of which have a member that others lack. */
const elements = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ x: value, y: value }, { requiredKeys: [] }) },
    { weight: 1, arbitrary: value },
  ),
  { minLength: 1, maxLength: 3 },
) as unknown as fc.Arbitrary<Json>;

/** A body for the collection; one in many has a value of the wrong type. */
export const body: fc.Arbitrary<JsonObject> = fc
  .record(
    {
      text: sometimes(fc.oneof({ weight: 5, arbitrary: text }, fc.array(text, { maxLength: 3 }))),
      tags: sometimes(fc.array(text, { maxLength: 3 })),
      exact: sometimes(text),
      num: sometimes(number),
      flag: sometimes(fc.boolean()),
      when: sometimes(when),
      any: fc.oneof({ weight: 4, arbitrary: value }, elements),
      deep: sometimes(object),
      code: sometimes(fc.oneof(id, fc.array(id, { maxLength: 2 }))),
      who: fc.oneof(
        fc.integer({ min: 1, max: 3 }).map(idOf),
        id,
        fc.array(id, { maxLength: 2 }),
        fc.record({ name: text }),
        fc.constant(null),
      ),
    },
    { requiredKeys: [] },
  )
  .map((fields) => ({ ...fields }) as JsonObject);

export const person: fc.Arbitrary<JsonObject> = fc.record({
  name: fc.oneof({ weight: 2, arbitrary: fc.constantFrom('a', 'A') }, { weight: 1, arbitrary: text }),
  age: number,
});
