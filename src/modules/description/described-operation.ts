// The description of one operation as an endpoint exports it, once it is valid: its members, and where in it schemas stand.
import type { Json, JsonObject } from '../../lib/json/json.ts';

/** A schema; `true` and `false` are schemas too. */
type DescribedSchema = boolean | JsonObject;

interface DescribedContent {
  readonly [mediaType: string]: JsonObject & { readonly schema?: DescribedSchema };
}

export type DescribedParameter = JsonObject & {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path' | 'cookie';
  readonly required?: boolean;
  readonly schema?: DescribedSchema;
};

export type DescribedBody = JsonObject & { readonly content: DescribedContent };

export type DescribedResponse = JsonObject & {
  readonly description: string;
  readonly headers?: { readonly [name: string]: JsonObject };
  readonly content?: DescribedContent;
};

/** What an endpoint may say of one of its methods, in the form that OpenAPI 3.1 has for it. */
export interface DescribedOperation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly DescribedParameter[];
  readonly requestBody?: DescribedBody;
  readonly responses?: { readonly [status: string]: DescribedResponse };
}

/** Members of an operation that hold a schema in their member `schema`, or things that do, at any depth. */
const HOLDERS = new Set(['parameters', 'requestBody', 'responses', 'content', 'headers']);

type ReplaceSchema = (schema: JsonObject, keys: readonly string[]) => JsonObject;

/**
 * A copy of an operation, in which each schema, such as that of a parameter, has been replaced; schemas within schemas are left to
 * `replace`. `keys` lead to the schema: `['parameters', '0', 'schema']`.
 */
export function mapOperationSchemas(
  operation: DescribedOperation,
  replace: ReplaceSchema,
): DescribedOperation {
  const entries = (value: object, keys: readonly string[], map: typeof mapMember) =>
    Object.entries(value).map(([key, member]): [string, Json] => [
      key,
      map(key, member as Json, [...keys, key]),
    ]);

  /** All members of a list, or of an object by name. */
  const mapAll = (value: Json, keys: readonly string[]): Json => {
    if (typeof value !== 'object' || value === null) return value;
    const mapped = entries(value, keys, (_, member, at) => mapMembers(member, at));
    return Array.isArray(value) ? mapped.map(([, member]) => member) : Object.fromEntries(mapped);
  };

  const mapMembers = (value: Json, keys: readonly string[]): Json => {
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(entries(value, keys, mapMember));
  };

  const mapMember = (key: string, value: Json, keys: readonly string[]): Json => {
    if (key === 'schema') {
      return typeof value === 'object' ? replace(value as JsonObject, keys) : value;
    }
    if (key === 'requestBody') return mapMembers(value, keys);
    return HOLDERS.has(key) ? mapAll(value, keys) : value;
  };

  return mapMembers(operation as JsonObject, []) as DescribedOperation;
}
