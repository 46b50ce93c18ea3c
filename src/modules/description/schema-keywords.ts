// The keywords of JSON Schema 2020-12 that a description may use, each with what its value is: what checks a schema, and what goes
// through its parts, read the same table. What names a schema for others (`$id`, `$anchor`, `$dynamicAnchor`, `$schema`) is left
// out, because the schema ends up in a larger document; so are members that only some tools know.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';

interface PartRules {
  /** The value is a schema, a list of schemas, or an object of schemas by name. */
  readonly holds: 'schema' | 'list' | 'map';
  /** It constrains the same value as the schema around it, not a part of it. */
  readonly isInPlace: boolean;
}

const part = (holds: PartRules['holds'], isInPlace = false): PartRules => ({ holds, isInPlace });

/** Keywords that hold schemas. */
const PARTS: Readonly<Record<string, PartRules>> = {
  $defs: part('map'),
  properties: part('map'),
  patternProperties: part('map'),
  additionalProperties: part('schema'),
  unevaluatedProperties: part('schema'),
  propertyNames: part('schema'),
  items: part('schema'),
  prefixItems: part('list'),
  contains: part('schema'),
  unevaluatedItems: part('schema'),
  contentSchema: part('schema'),
  allOf: part('list', true),
  anyOf: part('list', true),
  oneOf: part('list', true),
  not: part('schema', true),
  if: part('schema', true),
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword, and no promise.
  then: part('schema', true),
  else: part('schema', true),
  dependentSchemas: part('map', true),
};

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const flag = { type: 'boolean' };
const number = { type: 'number' };
const names = { type: 'array', items: text, uniqueItems: true };

/** Keywords that hold no schema, with the schema of their values. */
const VALUES: Readonly<Record<string, object>> = {
  $ref: { type: 'string', format: 'reference' },
  $comment: text,
  title: text,
  description: text,
  default: {},
  example: {},
  examples: { type: 'array' },
  deprecated: flag,
  readOnly: flag,
  writeOnly: flag,
  type: { type: ['string', 'array'], format: 'type', items: { type: 'string', format: 'type' }, minItems: 1 },
  const: {},
  enum: { type: 'array', minItems: 1 },
  format: text,
  pattern: { type: 'string', format: 'pattern' },
  contentEncoding: text,
  contentMediaType: text,
  minLength: count,
  maxLength: count,
  multipleOf: { type: 'number', exclusiveMinimum: 0 },
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  minItems: count,
  maxItems: count,
  minContains: count,
  maxContains: count,
  uniqueItems: flag,
  minProperties: count,
  maxProperties: count,
  required: names,
  dependentRequired: { type: 'object', additionalProperties: names },
};

const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'];

/** True for a regular expression as JSON Schema has it: of ECMA-262, with `u`. It is only read, never run. */
function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').flags === 'u';
  } catch {
    return false;
  }
}

/** The text formats of these keywords. */
export const SCHEMA_FORMATS = {
  type: { test: (name: string) => TYPES.includes(name), message: `must be one of ${TYPES.join(', ')}` },
  pattern: { test: isPattern, message: 'must be a regular expression of ECMA-262' },
  reference: {
    test: (reference: string) => /^#(?:\/|$)/.test(reference),
    message: 'must be `#`, or begin with `#/` and lead to a part of the same schema',
  },
};

const SCHEMA = { $ref: '#/definitions/schema' };

function schemaOfPart(name: string, { holds }: PartRules): object {
  if (holds === 'schema') return SCHEMA;
  if (holds === 'list') return { type: 'array', items: SCHEMA, minItems: 1 };
  const keys = name === 'patternProperties' ? { propertyNames: { type: 'string', format: 'pattern' } } : {};
  return { type: 'object', additionalProperties: SCHEMA, ...keys };
}

/** The JSON Schema of the schemas that a description may hold. It refers to itself as `#/definitions/schema`. */
export const SCHEMA_OF_SCHEMAS: object = {
  type: ['object', 'boolean'],
  properties: {
    ...VALUES,
    ...Object.fromEntries(Object.entries(PARTS).map(([name, rules]) => [name, schemaOfPart(name, rules)])),
  },
  additionalProperties: false,
};

/** A schema within a schema. */
interface SchemaPart {
  /** Keys that lead to it: `['properties', 'name']`. */
  readonly keys: readonly string[];
  readonly schema: JsonObject;
  readonly isInPlace: boolean;
}

function entriesOf(
  holds: PartRules['holds'],
  keyword: string,
  value: Json,
): (readonly [readonly string[], Json])[] {
  if (holds === 'schema') return [[[keyword], value]];
  return Object.entries(value as JsonObject).map(([key, held]) => [[keyword, key], held]);
}

/** The schemas directly within a schema, without those that are `true` or `false`. */
export function schemaParts(schema: JsonObject): readonly SchemaPart[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const rules = Object.hasOwn(PARTS, keyword) ? PARTS[keyword] : undefined;
    if (rules === undefined) return [];
    return entriesOf(rules.holds, keyword, value).flatMap(([keys, held]) =>
      isJsonObject(held) ? [{ keys, schema: held, isInPlace: rules.isInPlace }] : [],
    );
  });
}

/** A copy of a schema in which each schema within it, of any depth, has been replaced, the innermost first. */
export function mapSchema(schema: JsonObject, replace: (schema: JsonObject) => JsonObject): JsonObject {
  const inner = (value: Json): Json => (isJsonObject(value) ? mapSchema(value, replace) : value);
  const members = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    const rules = Object.hasOwn(PARTS, keyword) ? PARTS[keyword] : undefined;
    if (rules === undefined) return [keyword, value];
    if (rules.holds === 'schema') return [keyword, inner(value)];
    if (Array.isArray(value)) return [keyword, value.map(inner)];
    return [
      keyword,
      Object.fromEntries(Object.entries(value as JsonObject).map(([key, held]) => [key, inner(held)])),
    ];
  });
  return replace(Object.fromEntries(members));
}
