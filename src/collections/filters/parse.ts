// Reads a filter as a client sent it: an allow-list of operators over known paths. Pure: look-ups come later.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Filter } from '../../stores/filter.ts';
import type { Collection, Field } from '../collection.ts';
import { type Budget, createBudget, type FilterLimits } from './budget.ts';
import { type Draft, type Group, isSettled, joinDrafts } from './draft.ts';
import { type Place, readCondition } from './operators.ts';
import { refuseFilter } from './refusal.ts';
import { collectionScope, elementScope, type Scope } from './scope.ts';

export interface ParseOptions {
  readonly limits: FilterLimits;
  /** Where a Reference field points, or undefined where the caller may not follow it. */
  target(collection: Collection, field: Field): Collection | undefined;
}

/** What stays the same while one part of a filter is read. `collection` is undefined inside `$elemMatch`. */
interface Reading {
  readonly options: ParseOptions;
  readonly budget: Budget;
  readonly scope: Scope;
  readonly collection: Collection | undefined;
  /** The references on the way here, for messages: `''`, or `author.`. */
  readonly prefix: string;
}

const GROUPS: ReadonlyMap<string, Group> = new Map<string, Group>([
  ['$and', 'and'],
  ['$or', 'or'],
  ['$nor', 'nor'],
]);

/**
 * Checks and coerces a filter on `collection`. Throws FILTER_INVALID, naming the operator or path, for whatever is
 * unknown, forbidden, malformed or beyond the limits.
 */
export function parseFilter(filter: Json, collection: Collection, options: ParseOptions): Draft {
  if (!isJsonObject(filter)) throw refuseFilter('filter', 'A filter is a JSON object');
  const scope = collectionScope(collection);
  return readFilter(
    filter,
    { options, budget: createBudget(options.limits), scope, collection, prefix: '' },
    0,
  );
}

function readFilter(filter: JsonObject, reading: Reading, depth: number): Draft {
  const drafts = Object.entries(filter).map(([key, operand]) => {
    reading.budget.spend(key);
    return key.startsWith('$')
      ? readGroup(key, operand, reading, depth)
      : readPath({ path: key, condition: operand }, reading, depth);
  });
  return joinDrafts('and', drafts);
}

function readGroup(name: string, operand: Json, reading: Reading, depth: number): Draft {
  const group = GROUPS.get(name);
  if (group === undefined) throw refuseFilter(name, 'This operator is not offered here');
  if (!Array.isArray(operand) || operand.length === 0 || !operand.every(isJsonObject)) {
    throw refuseFilter(name, `\`${name}\` needs a list of at least one filter`);
  }
  reading.budget.descend(name, depth + 1);
  return joinDrafts(
    group,
    operand.map((filter) => readFilter(filter, reading, depth + 1)),
  );
}

function readPath(
  { path, condition }: { readonly path: string; readonly condition: Json },
  reading: Reading,
  depth: number,
): Draft {
  const { budget, options, prefix } = reading;
  const shown = `${prefix}${path}`;
  const meaning = reading.scope(path);
  if (meaning === undefined) throw refuseFilter(shown, "doesn't exist in the collection schema");
  if (meaning.kind === 'own') {
    const element = (filter: JsonObject, inner: number) => readElement(filter, reading, inner);
    const place: Place = { path: shown, rules: meaning.rules, depth, budget, element };
    return { kind: 'field', path, tests: readCondition(condition, place) };
  }
  const { field, rest } = meaning;
  const target = reading.collection && options.target(reading.collection, field);
  if (target === undefined)
    throw refuseFilter(shown, `The collection behind \`${field.name}\` cannot be read`);
  budget.descend(shown, depth + 1);
  const inner: Reading = {
    options,
    budget,
    scope: collectionScope(target),
    collection: target,
    prefix: `${prefix}${field.name}.`,
  };
  const draft = readPath({ path: rest, condition }, inner, depth + 1);
  return { kind: 'through', path: field.name, target, draft };
}

function readElement(filter: JsonObject, reading: Reading, depth: number): Filter {
  const draft = readFilter(filter, { ...reading, scope: elementScope, collection: undefined }, depth);
  if (!isSettled(draft)) throw refuseFilter('$elemMatch', 'A list element has no references to follow');
  return draft;
}
