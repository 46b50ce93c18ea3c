// Generated specifications of two collections that refer to each other, and generated values, valid ones and others, for their fields.
import fc from 'fast-check';
import { FIELD_TYPES, type FieldType } from '../../../src/collections/model/fields/field-types.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';

const TYPES = Object.keys(FIELD_TYPES) as FieldType[];

const UNKNOWN_ID = 'ab'.repeat(12);

/** Values at the edges of every rule. */
const VALUES: readonly Json[] = [
  ...[null, '', 'a', 'ab', 'abc', 'ABC 12', 'a-b', '🙂🙂', 'x'.repeat(31), '\u2028', '1', 'true'],
  ...[0, 1, -1.5, 1e21, true, false],
  ...[[], [''], ['a', 'bc'], [null], [1, 'a'], [['a']], [{}], ['a', null]],
  ...[{}, { a: 1 }, { a: { b: ['c'] } }],
  ...['2024-02-29', '2024-02-30', '2024-01-01T10:00Z', '2024-01-01T10:00:00.123+02:00', '2024-01-01 10:00'],
  ...['+002024-01-01', '2024-01-01t10:00:00z', ['2024-01-01']],
  ...[
    UNKNOWN_ID,
    UNKNOWN_ID.toUpperCase(),
    'ab',
    [UNKNOWN_ID],
    [UNKNOWN_ID, null],
    [UNKNOWN_ID, 'ab'],
    `${UNKNOWN_ID}0`,
  ],
];

const PATTERNS: readonly JsonObject[] = [
  ...[{ pattern: '^[a-c ]*$' }, { pattern: '\\d' }, { pattern: '^.{1,4}$' }, { pattern: '^\\p{L}' }],
  ...[{ pattern: '^[a-f0-9]+$' }, { pattern: '^\\d{4}-\\d\\d-\\d\\d$' }],
  // A schema can have neither: flags, and syntax that `u` refuses.
  ...[{ pattern: '^abc', flags: 'i' }, { pattern: '^[\\w-.]+$' }],
];

const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, value);
const present = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter((entry) => entry[1] !== undefined)) as JsonObject;

const validation = fc
  .record({
    minLength: rarely(fc.nat(3)),
    maxLength: rarely(fc.integer({ min: 3, max: 30 })),
    regex: rarely(fc.constantFrom(...PATTERNS)),
  })
  .map(present);

function field(type: FieldType): fc.Arbitrary<JsonObject> {
  const defaults = VALUES.filter((value) => value === null || FIELD_TYPES[type].check(value) === undefined);
  return fc
    .record({
      required: rarely(fc.constant(true)),
      default: rarely(fc.constantFrom(...defaults)),
      validation: fc.option(validation, { nil: undefined, freq: 2 }),
      label: rarely(fc.constant('A label')),
      example: rarely(fc.constantFrom(...VALUES)),
    })
    .map((members) => present({ type, ...members }));
}

const reference = (collection: string) =>
  field('Reference').map((members): JsonObject => ({ ...members, settings: { collection } }));

/** A specification whose references lead to itself and to `other`. One field in six is required. */
function specification(other: string): fc.Arbitrary<JsonObject> {
  const plain = fc.constantFrom(...TYPES).chain(field);
  return fc
    .record({
      fields: fc.record({
        title: field('String'),
        f0: plain,
        f1: plain,
        f2: plain,
        other: reference(other),
        parent: field('Reference'),
        lost: reference('nowhere'),
      }),
      settings: fc.record({ storeRevisions: fc.boolean(), compose: fc.boolean() }),
    })
    .map(({ fields, settings }) => ({ fields, settings }));
}

export const SPECIFICATIONS = fc.record({ books: specification('people'), people: specification('books') });

export const FIELD_NAMES = ['title', 'f0', 'f1', 'f2', 'other', 'parent', 'lost'];

/** The values that obey the rules of a field. */
function validValues({ type, required, validation: rules }: JsonObject): readonly Json[] {
  const { minLength = 0, maxLength = 1000, regex } = (rules ?? {}) as JsonObject;
  const { pattern = '', flags = '' } = (regex ?? {}) as Readonly<Record<string, string>>;
  const expression = new RegExp(pattern, flags);
  const isText = (text: string) =>
    [...text].length >= Number(minLength) && [...text].length <= Number(maxLength) && expression.test(text);
  return VALUES.filter((one) => {
    if (one === null || one === '')
      return required !== true && (one === null || type === 'String' || type === 'Mixed');
    const texts = [one].flat().filter((entry) => entry !== null && typeof entry !== 'object');
    return FIELD_TYPES[type as FieldType].check(one) === undefined && texts.map(String).every(isText);
  });
}

/** Members that no specification declares and the server does without. */
const ignored = fc
  .record({
    _id: rarely(fc.constantFrom<Json>(UNKNOWN_ID, 5)),
    v: rarely(fc.constantFrom<Json>(1, 'x')),
    history: rarely(fc.constant<Json>([])),
  })
  .map((members) => present(members));

type Sources = Readonly<Record<string, JsonObject>>;

const NOTHING = Symbol('no value');

/** One member in the place of another, or of none, or none in its place. */
const mutation = fc.tuple(
  fc.constantFrom(...FIELD_NAMES, ...FIELD_NAMES, 'action', 'unknown'),
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...VALUES) },
    { weight: 4, arbitrary: fc.constantFrom<Json>('', null) },
    fc.constant<typeof NOTHING>(NOTHING),
  ),
);

/** A body for a collection of `sources`, with sub-documents down to `depth` levels. Half of them have one member changed. */
export function body(sources: Sources, name: string, depth = 2): fc.Arbitrary<JsonObject> {
  const fields = Object.entries(sources[name]?.['fields'] ?? {}) as [string, JsonObject][];
  const members = Object.fromEntries(
    fields.map(([fieldName, source]) => {
      const { type, required, settings } = source;
      const target = String(((settings ?? {}) as JsonObject)['collection'] ?? name);
      const isWritable = type === 'Reference' && sources[target] !== undefined && depth > 0;
      const nested = isWritable ? [subDocuments(body(sources, target, depth - 1))] : [];
      const valid = validValues(source);
      const plain = valid.length === 0 ? [] : [{ weight: 4, arbitrary: fc.constantFrom(...valid) }];
      const all = [...plain, ...nested.map((arbitrary) => ({ weight: 1, arbitrary }))];
      const freq = required === true ? 30 : 2;
      const sent =
        all.length > 0 ? fc.option(fc.oneof(...all), { nil: undefined, freq }) : fc.constant(undefined);
      return [fieldName, sent];
    }),
  );
  return fc
    .tuple(
      fc.record(members),
      fc.option(ignored, { nil: {}, freq: 2 }),
      fc.option(mutation, { nil: undefined, freq: 2 }),
    )
    .map(([own, rest, changed]) => {
      const document = { ...present(own), ...rest };
      if (changed === undefined) return document;
      const [changedName, changedValue] = changed;
      const { [changedName]: _, ...others } = document;
      return typeof changedValue === 'symbol' ? others : { ...others, [changedName]: changedValue };
    });
}

function subDocuments(document: fc.Arbitrary<JsonObject>): fc.Arbitrary<Json> {
  const withoutId = document.map(({ _id, ...rest }): JsonObject => rest);
  const one = fc.oneof(
    { weight: 4, arbitrary: withoutId },
    fc.constantFrom<JsonObject>({ _id: UNKNOWN_ID }, { _id: 'ab' }),
  );
  return fc.oneof(
    one,
    fc.array(one, { maxLength: 2 }),
    one.map((entry): Json => [UNKNOWN_ID, entry]),
  );
}
