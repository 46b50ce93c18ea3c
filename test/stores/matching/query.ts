// Filters written in MongoDB's notation, for readable tables.
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import type { Filter, FilterTest, FilterTypeName } from '../../../src/stores/filter.ts';

/** `{a: 1}` and `{a: {$gt: 1}}` and their kin as a Filter; `$fold` is equality that ignores case. */
export function toFilter(query: JsonObject): Filter {
  const filters = Object.entries(query).map(([key, value]): Filter => {
    if (key === '$and' || key === '$or' || key === '$nor') {
      const kind = key.slice(1) as 'and' | 'or' | 'nor';
      return { kind, filters: (value as JsonObject[]).map(toFilter) };
    }
    return { kind: 'field', path: key, tests: toTests(value) };
  });
  return filters.length === 1 ? filters[0]! : { kind: 'and', filters };
}

function isOperators(value: Json): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => key.startsWith('$'));
}

function toTests(value: Json): FilterTest[] {
  if (!isOperators(value)) return [{ kind: 'eq', value }];
  const flags = (value['$options'] ?? '') as string;
  return Object.entries(value).flatMap(([operator, operand]) => toTest(operator, operand, flags) ?? []);
}

function toTest(operator: string, operand: Json, flags: string): FilterTest | undefined {
  switch (operator) {
    case '$options':
      return undefined;
    case '$fold':
      return { kind: 'eq', value: operand, caseInsensitive: true };
    case '$in':
    case '$nin':
    case '$all':
      return { kind: operator.slice(1) as 'in', values: operand as Json[] };
    case '$exists':
      return { kind: 'exists', value: operand as boolean };
    case '$size':
      return { kind: 'size', value: operand as number };
    case '$type':
      return { kind: 'type', names: [operand].flat() as FilterTypeName[] };
    case '$regex':
      return { kind: 'regex', pattern: operand as string, flags };
    case '$not':
      return { kind: 'not', tests: toTests(operand) };
    case '$elemMatch':
      return isOperators(operand) && !/^\$(?:and|or|nor)$/.test(Object.keys(operand)[0]!)
        ? { kind: 'elemMatchValue', tests: toTests(operand) }
        : { kind: 'elemMatch', filter: toFilter(operand as JsonObject) };
    default:
      return { kind: operator.slice(1) as 'gt', value: operand };
  }
}
