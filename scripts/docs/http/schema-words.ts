// What a JSON Schema says, in a few words for a cell of a table.

import type { JsonSchema } from '../../../src/http/core/operation.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';

const PREFIX = '#/components/schemas/';
/** Schemas that each collection has of its own. */
const OF_COLLECTIONS: Readonly<Record<string, string>> = {
  document: 'a document',
  created: 'a document without internal fields',
  changed: 'fields of a document',
  page: '`{results, metadata}` with documents',
  revisions: '`{results, metadata}` with revisions',
  count: '`{metadata}`',
  stats: 'sizes',
};

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/** Text for a cell of a table. */
export const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function ofType(schema: JsonObject): string {
  const types = [schema['type'] ?? 'anything'].flat().join(' or ');
  if (types === 'array') return isObject(schema['items']) ? `list of ${words(schema['items'])}` : 'list';
  const { properties } = schema;
  if (isObject(properties)) return `\`{${Object.keys(properties).join(', ')}}\``;
  const bounds = [
    ...(schema['minimum'] === undefined ? [] : [`at least ${schema['minimum']}`]),
    ...(schema['maximum'] === undefined ? [] : [`at most ${schema['maximum']}`]),
    ...(schema['minLength'] === undefined ? [] : [`at least ${schema['minLength']} characters`]),
    ...(schema['maxLength'] === undefined ? [] : [`at most ${schema['maxLength']} characters`]),
    ...(schema['pattern'] === undefined ? [] : [`matches \`${schema['pattern']}\``]),
  ];
  return [types, ...bounds].join(', ');
}

/** What a value is. */
export function words(schema: JsonSchema): string {
  const { $ref, enum: values, const: value, default: preset } = schema;
  if (typeof $ref === 'string') {
    const name = $ref.slice(PREFIX.length);
    return OF_COLLECTIONS[name] ?? `[${name}](#${name.toLowerCase()}-body)`;
  }
  const choices = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])].filter(isObject);
  const meant =
    choices.length > 0
      ? choices.map(words).join(' or ')
      : value !== undefined
        ? `\`${JSON.stringify(value)}\``
        : Array.isArray(values)
          ? values.map((one) => `\`${JSON.stringify(one)}\``).join(', ')
          : ofType(schema);
  return preset === undefined ? meant : `${meant}; ${JSON.stringify(preset)} by default`;
}

/** The rows of a table with the members of an object. */
export function memberRows(schema: JsonSchema): readonly string[] {
  const { properties } = schema;
  if (!isObject(properties)) return [];
  const required = listOf(schema['required']);
  return Object.entries(properties).map(([name, member]) => {
    const about = isObject(member) ? member : {};
    const text = typeof about['description'] === 'string' ? about['description'] : '';
    return `| \`${name}\` | ${cell(words(about))} | ${required.includes(name) ? 'yes' : ''} | ${cell(text)} |`;
  });
}
