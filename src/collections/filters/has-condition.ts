// Tells a query that names documents from one whose conditions all vanished: JSON has no `undefined`, so that a client that
// means some documents may send `{}`.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';

const isGroup = (name: string) => name === '$and' || name === '$or' || name === '$nor';

function memberHasCondition(name: string, operand: Json): boolean {
  // What is no list of filters is refused when the filter is parsed.
  if (!isGroup(name) || !Array.isArray(operand)) return true;
  const filters: readonly Json[] = operand;
  const holds = (filter: Json) => !isJsonObject(filter) || hasCondition(filter);
  return name === '$and' ? filters.some(holds) : filters.every(holds);
}

/** False for `{}`, and for `$and`, `$or` and `$nor` of such filters only; an alternative without a condition is all documents. */
export function hasCondition(filter: JsonObject): boolean {
  return Object.entries(filter).some(([name, operand]) => memberHasCondition(name, operand));
}
