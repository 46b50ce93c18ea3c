// The `where` of an access rule: a filter on the collection's own fields, in which `{"$caller": "clientId"}` and
// `{"$caller": "roles"}` stand for values of whoever asks.

import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { Filter } from '../../stores/filter.ts';
import type { CallerValues, RuleFilter } from '../model/access-rules.ts';
import type { Collection } from '../model/collection.ts';
import { createFilterError } from '../model/read-parameters.ts';
import { isOperatorObject } from './operators.ts';
import { type FilterLimits, parseFilter } from './parse.ts';
import { isResolved } from './parsed-filter.ts';

/** Bounds of one rule. It is evaluated with every request, beside the filter of the client. */
const RULE_LIMITS: FilterLimits = { filterDepth: 10, filterNodes: 100 };

const CALLER = '$caller';
/** Operators that compare with the value of the caller as it is: whoever chose an id must not have written a pattern. */
const COMPARISONS: ReadonlySet<string> = new Set(
  ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin', 'all'].map((name) => `$${name}`),
);
/** Any value that a field of text takes: whether an operand fits is decided once, when the specification is read. */
const SAMPLE: CallerValues = { clientId: 'a', roles: ['a'] };

const isCallerValue = (value: Json): value is JsonObject =>
  isJsonObject(value) && Object.hasOwn(value, CALLER);

function callerError(message: string) {
  return createFilterError(CALLER, message);
}

/**
 * Checks a rule's filter against the fields of its collection, hidden ones included. Throws FILTER_INVALID, naming the path or
 * the operator.
 */
export function parseRuleFilter(source: JsonObject, collection: Pick<Collection, 'fields'>): RuleFilter {
  const uses = { clientId: false, roles: false };
  parseBound(insertValues(source, SAMPLE, uses), collection);
  return {
    usesClientId: uses.clientId,
    usesRoles: uses.roles,
    bind(caller) {
      if ((uses.clientId && caller.clientId === null) || (uses.roles && caller.roles === null)) return null;
      return parseBound(insertValues(source, caller, { clientId: false, roles: false }), collection);
    },
  };
}

function parseBound(filter: JsonObject, { fields }: Pick<Collection, 'fields'>): Filter {
  const parsed = parseFilter(
    filter,
    // The fields are all that a filter without references needs of a collection.
    { fields } as Collection,
    {
      limits: RULE_LIMITS,
      resolveTarget(_collection, { name }) {
        throw createFilterError(name, 'A rule cannot ask for fields of a referenced document');
      },
    },
  );
  if (!isResolved(parsed)) throw createFilterError('where', 'A rule cannot look through references');
  return parsed;
}

interface Uses {
  clientId: boolean;
  roles: boolean;
}

/** A filter with the values of the caller in it, under operators: these compare exactly. */
function insertValues(filter: JsonObject, caller: CallerValues, uses: Uses): JsonObject {
  const entries = Object.entries(filter).map(([key, value]): [string, Json] => {
    if (key === CALLER) throw callerError('stands in place of a value: `{"field": {"$caller": "clientId"}}`');
    if (!key.startsWith('$')) return [key, insertInCondition(value, caller, uses)];
    const isList = Array.isArray(value);
    return [key, isList ? value.map((entry: Json) => insertInEntry(entry, caller, uses)) : plain(value)];
  });
  return Object.fromEntries(entries);
}

const insertInEntry = (entry: Json, caller: CallerValues, uses: Uses): Json =>
  isJsonObject(entry) ? insertValues(entry, caller, uses) : plain(entry);

function insertInCondition(condition: Json, caller: CallerValues, uses: Uses): Json {
  if (isCallerValue(condition)) return { $eq: clientIdOf(condition, caller, uses) };
  if (!isOperatorObject(condition)) return plain(condition);
  const entries = Object.entries(condition).map(([name, operand]): [string, Json] => [
    name,
    insertInOperand(name, operand, caller, uses),
  ]);
  return Object.fromEntries(entries);
}

function insertInOperand(name: string, operand: Json, caller: CallerValues, uses: Uses): Json {
  if (name === '$not') return insertInCondition(operand, caller, uses);
  if (name === '$elemMatch' && isJsonObject(operand)) {
    return isOperatorObject(operand)
      ? insertInCondition(operand, caller, uses)
      : insertValues(operand, caller, uses);
  }
  if (name === '$in' && isCallerValue(operand)) return rolesOf(operand, caller, uses);
  if (Array.isArray(operand)) {
    return operand.flatMap((entry: Json) => insertInList(name, entry, caller, uses));
  }
  if (!isCallerValue(operand)) return plain(operand);
  if (name.startsWith('$') && !COMPARISONS.has(name))
    throw callerError(`cannot be the operand of \`${name}\``);
  return clientIdOf(operand, caller, uses);
}

function insertInList(name: string, entry: Json, caller: CallerValues, uses: Uses): readonly Json[] {
  if (!isCallerValue(entry)) return [plain(entry)];
  if (name === '$in' && entry[CALLER] === 'roles') return rolesOf(entry, caller, uses);
  return [clientIdOf(entry, caller, uses)];
}

function clientIdOf(value: JsonObject, { clientId }: CallerValues, uses: Uses): Json {
  if (value[CALLER] === 'roles') throw callerError('`roles` is a list, and stands in `$in` only');
  if (value[CALLER] !== 'clientId' || Object.keys(value).length > 1) {
    throw callerError('is `clientId`, or `roles` in `$in`');
  }
  uses.clientId = true;
  return clientId;
}

function rolesOf(value: JsonObject, { roles }: CallerValues, uses: Uses): Json[] {
  if (value[CALLER] !== 'roles' || Object.keys(value).length > 1) {
    throw callerError('in place of the list of `$in` is `roles`');
  }
  uses.roles = true;
  return [...(roles ?? [])];
}

/** A value without `$caller` in it: there it would be compared as it is. */
function plain(value: Json): Json {
  const nested = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : [];
  if (isCallerValue(value)) throw callerError('stands alone in place of a value, not inside of one');
  for (const entry of nested) plain(entry as Json);
  return value;
}
