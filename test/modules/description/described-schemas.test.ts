import { describe, expect, it } from 'vitest';
import { createDescriptionParser } from '../../../src/modules/description/parse-openapi.ts';

const { parse } = createDescriptionParser();
const MODULE = { methods: ['GET'], route: null };

const warned = async (value: unknown) => (await parse(JSON.stringify(value), MODULE)).warnings;

describe('schemas of a description', () => {
  const within = (schema: unknown) => ({ GET: { parameters: [{ name: 'a', in: 'query', schema }] } });

  it.each([
    true,
    {},
    { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false },
    { $defs: { a: { $ref: '#' } }, properties: { a: { $ref: '#/$defs/a' } } },
    { properties: { 'a/b~c d': {} }, items: { $ref: '#/properties/a~1b~0c%20d' } },
    { prefixItems: [{ type: 'string' }, { $ref: '#/prefixItems/0' }], unevaluatedItems: false },
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword.
    { if: { minimum: 1 }, then: { maximum: 5 }, else: { not: {} }, patternProperties: { '^\\d+$': true } },
    {
      const: { $ref: 1 },
      properties: { $ref: { type: 'string' } },
      enum: [{ $id: 1 }],
      dependentRequired: { a: ['b'] },
    },
  ])('may be %j', async (schema) => {
    expect(await warned(within(schema))).toEqual([]);
  });

  it.each([
    ['a name', 'string', ' must be an object or true or false'],
    [
      'an unknown type',
      { type: 'text' },
      '.type must be one of null, boolean, object, array, number, integer, string',
    ],
    ['an unknown type in a list', { type: ['string', 'any'] }, '.type[1] must be one of null, boolean,'],
    ['a negative length', { minLength: -1 }, '.minLength must be 0 or more'],
    ['a keyword of OpenAPI 3.0', { nullable: true }, '.nullable is unknown'],
    ['an id of its own', { $id: 'https://evil.example/' }, '.$id is unknown'],
    ['a discriminator', { discriminator: { propertyName: 'a' } }, '.discriminator is unknown'],
    [
      'an extension deep inside',
      { allOf: [{ properties: { a: { 'x-a': 1 } } }] },
      '.allOf[0].properties.a.x-a is unknown',
    ],
    ['a pattern that is none', { pattern: '(' }, '.pattern must be a regular expression of ECMA-262'],
    [
      'a name pattern that is none',
      { patternProperties: { '[': {} } },
      '.patternProperties.[ must be a regular',
    ],
    [
      'a reference elsewhere',
      { $ref: 'https://evil.example/s.json' },
      '.$ref must be `#`, or begin with `#/`',
    ],
    [
      'a reference to another component',
      { $ref: '#/components/schemas/a' },
      '.$ref leads to no schema within the same',
    ],
    ['a reference to an anchor', { $ref: '#a' }, '.$ref must be `#`, or begin with `#/`'],
    ['a reference to no schema', { $ref: '#/properties', properties: {} }, '.$ref leads to no schema'],
    [
      'a reference to an example',
      { items: { $ref: '#/examples/0' }, examples: [{}] },
      '.items.$ref leads to no schema',
    ],
    ['a reference to a prototype', { items: { $ref: '#/constructor' } }, '.items.$ref leads to no schema'],
    [
      'a reference in an example',
      { example: [{ $ref: 'https://evil.example/' }] },
      '.example[0].$ref must be in a schema',
    ],
    ['a reference in a value', { not: { const: { $ref: '#' } } }, '.not.const.$ref must be in a schema'],
    ['a broken reference', { items: { $ref: '#/%zz' } }, '.items.$ref leads to no schema'],
    ['a reference to itself', { $ref: '#' }, '.$ref leads back to itself'],
    [
      'references in a circle',
      { $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } } },
      '$ref leads back to itself',
    ],
  ])('must not have %s', async (_, schema, warning) => {
    const [first, ...more] = await warned(within(schema));
    expect(first).toMatch(/^openapi\.GET\.parameters\[0\]\.schema/);
    expect(first).toContain(warning);
    expect(more).toEqual([]);
  });

  it.each([
    [200, []],
    [201, ['openapi.GET has more than 200 `$ref`']],
  ])('have at most 200 references in one operation: %i', async (count, warnings) => {
    const $defs = Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `d${at}`,
        { allOf: [at === 0 ? {} : { $ref: `#/$defs/d${at - 1}` }] },
      ]),
    );
    expect(await warned(within({ $defs, $ref: `#/$defs/d${count - 1}` }))).toEqual(warnings);
  });
});
