import { describe, expect, expectTypeOf, it } from 'vitest';
import { createSchemaValidator, type Infer } from '../../../src/lib/json/json-schema.ts';

const POINT = {
  type: 'object',
  properties: {
    x: { type: 'number', minimum: 0, default: 0 },
    name: { type: 'string', minLength: 2, maxLength: 3 },
    colour: { type: 'string', enum: ['red', 'blue'], default: 'red' },
    tags: { type: 'array', items: { type: 'string' }, default: [] },
    limit: { oneOf: [{ type: 'boolean', const: false }, { type: 'integer' }], default: false },
    inner: { type: 'object', properties: { on: { type: 'boolean', default: true } } },
  },
} as const;

describe('Infer', () => {
  it('gives the type that a literal schema describes', () => {
    expectTypeOf<Infer<typeof POINT>>().toMatchTypeOf<{
      readonly x: number;
      readonly name?: string | undefined;
      readonly colour: 'red' | 'blue';
      readonly tags: readonly string[];
      readonly limit: false | number;
      readonly inner: { readonly on: boolean };
    }>();
    const point: Infer<typeof POINT> = { x: 1, colour: 'blue', tags: [], limit: 2, inner: { on: false } };
    expect(point.inner.on).toBe(false);
  });
});

describe('createSchemaCheck', () => {
  const formats = { even: { test: (text: string) => text.length % 2 === 0, message: 'must be even' } };
  const load = () => createSchemaValidator({ annotations: ['note'], formats });

  it('finds nothing in a good value', async () => {
    const check = await load();
    expect(check(POINT, { x: 1, name: 'ab', colour: 'red', tags: ['a'], inner: { on: true } })).toEqual([]);
  });

  it('lists every problem with its path, in words', async () => {
    const check = await load();
    const value = { x: -1, name: 'a', colour: 'green', tags: ['a', 1], inner: { on: 'yes' } };
    expect(check(POINT, value)).toEqual([
      { path: 'x', message: 'must be 0 or more' },
      { path: 'name', message: 'must have at least 2 characters' },
      { path: 'colour', message: 'must be one of "red", "blue"' },
      { path: 'tags.1', message: 'must be text' },
      { path: 'inner.on', message: 'must be true or false' },
    ]);
  });

  it('tells of values of several types, of names and of empty objects', async () => {
    const check = await load();
    const schema = {
      type: 'object',
      properties: {
        either: { type: ['string', 'array'], items: { type: 'string' } },
        map: { type: 'object', propertyNames: { type: 'string', format: 'even' }, minProperties: 1 },
        pair: { type: 'object', minProperties: 2 },
      },
    };
    expect(check(schema, { either: ['a'], map: { ab: 1 } })).toEqual([]);
    expect(check(schema, { either: 1, map: { a: 1, ab: 1, abc: 1 }, pair: {} })).toEqual([
      { path: 'either', message: 'must be text or a list' },
      { path: 'map.a', message: 'must be even' },
      { path: 'map.abc', message: 'must be even' },
      { path: 'pair', message: 'must have at least 2 members' },
    ]);
    expect(check(schema, { map: {} })).toEqual([{ path: 'map', message: 'must not be empty' }]);
  });

  it('names members that are unknown or missing, and counts entries', async () => {
    const check = await load();
    const schema = {
      type: 'object',
      properties: {
        'a/b': { type: 'object', properties: {}, additionalProperties: false },
        few: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2, uniqueItems: true },
        none: { type: 'array', items: { type: 'string' }, minItems: 1 },
        two: { type: 'array', items: { type: 'string' }, minItems: 2 },
        must: { type: 'string' },
      },
      required: ['must'],
      additionalProperties: false,
    } as const;
    expect(check(schema, { 'a/b': { odd: 1 }, musst: 1, few: ['x', 'x', 'y'], none: [], two: [] })).toEqual([
      { path: 'must', message: 'is missing' },
      { path: 'musst', message: 'is unknown: did you mean `must`?' },
      { path: 'a/b.odd', message: 'is unknown' },
      { path: 'few', message: 'must have at most 2 entries' },
      { path: 'few', message: 'must not name the same thing twice' },
      { path: 'none', message: 'must have at least 1 entry' },
      { path: 'two', message: 'must have at least 2 entries' },
    ]);
  });

  it('coerces and fills in nothing', async () => {
    const check = await load();
    const value = { x: '1' };
    expect(check(POINT, value)).toEqual([{ path: 'x', message: 'must be a number' }]);
    expect(value).toEqual({ x: '1' });
  });

  it('knows the formats and annotations that it is given', async () => {
    const check = await load();
    const schema = { type: 'string', format: 'even', note: 'ours' };
    expect(check(schema, 'abc')).toEqual([{ path: '', message: 'must be even' }]);
    expect(check(schema, 'ab')).toEqual([]);
  });

  it('refuses a schema with a word that nobody declared', async () => {
    const check = await load();
    expect(() => check({ type: 'string', misspelt: 1 }, '')).toThrow(/misspelt/);
  });
});
