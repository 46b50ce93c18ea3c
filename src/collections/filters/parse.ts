// Reads a filter as a client sent it: an allow-list of operators over known paths. Pure: look-ups come later.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Collection, Field } from '../collection.ts';
import { type Budget, createBudget, type FilterLimits } from './budget.ts';
import {
  areSettled,
  type Draft,
  type DraftTest,
  type Group,
  isSettled,
  joinDrafts,
  type Through,
} from './draft.ts';
import { readCondition } from './operators.ts';
import { refuseFilter } from './refusal.ts';
import { collectionScope, elementScope, type OperandRules, type Scope } from './scope.ts';
import { holdsForMissing, spreadTests } from './spread.ts';

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

/** Where a path ends: what it means there, and the references that it goes through, outermost first. */
interface End {
  readonly path: string;
  readonly rules: OperandRules;
  readonly reading: Reading;
  readonly depth: number;
  readonly steps: readonly Step[];
}

type Step = Pick<Through, 'source' | 'path' | 'target'>;

function throughStep(step: Step, draft: Draft, missing: boolean): Draft {
  return { kind: 'through', ...step, draft, missing, inList: false };
}

function readPath(
  { path, condition }: { readonly path: string; readonly condition: Json },
  start: Reading,
  from: number,
): Draft {
  const { steps, reading, depth, rules, path: last } = endOf(path, start, from);
  const { budget } = reading;
  const shown = `${reading.prefix}${last}`;
  const element = (filter: JsonObject, inner: number) =>
    readElement(filter, { field: reading.collection?.fields.get(last), shown }, reading, inner);
  const tests = readCondition(condition, { path: shown, rules, depth, budget, element });
  if (steps.length === 0 && areSettled(tests)) return { kind: 'field', path: last, tests };
  let atoms = 0;
  return spreadTests(tests, (atom) => {
    atoms += 1;
    // One test may need several look-ups; the first of them was counted when it was read.
    if (atoms > tests.length) budget.spend(shown);
    const own: Draft = atom.kind === 'refers' ? atom.through : { kind: 'field', path: last, tests: [atom] };
    const missing = holdsForMissing(atom);
    return steps.reduceRight<Draft>((draft, step) => throughStep(step, draft, missing), own);
  });
}

function endOf(path: string, reading: Reading, depth: number, steps: readonly Step[] = []): End {
  const shown = `${reading.prefix}${path}`;
  const meaning = reading.scope(path);
  if (meaning === undefined) throw refuseFilter(shown, "doesn't exist in the collection schema");
  if (meaning.kind === 'own') return { path, rules: meaning.rules, reading, depth, steps };
  const { field, rest } = meaning;
  const { budget } = reading;
  const step = stepThrough(field, reading, shown);
  budget.descend(shown, depth + 1);
  return endOf(rest, beyond(step, reading), depth + 1, [...steps, step]);
}

/** The way through a Reference field. Throws where the caller may not go. */
function stepThrough(field: Field, { collection, options }: Reading, shown: string): Step {
  const target = collection && options.target(collection, field);
  if (collection === undefined || target === undefined) {
    throw refuseFilter(shown, `The collection behind \`${field.name}\` cannot be read`);
  }
  return { source: collection, path: field.name, target };
}

function beyond({ path, target }: Step, reading: Reading): Reading {
  return {
    ...reading,
    scope: collectionScope(target),
    collection: target,
    prefix: `${reading.prefix}${path}.`,
  };
}

/** What `$elemMatch` asks of an element: an element of references is the document that it refers to. */
function readElement(
  filter: JsonObject,
  { field, shown }: { readonly field: Field | undefined; readonly shown: string },
  reading: Reading,
  depth: number,
): DraftTest {
  if (field?.type === 'Reference') {
    const step = stepThrough(field, reading, shown);
    const draft = readFilter(filter, beyond(step, reading), depth);
    return { kind: 'refers', through: { kind: 'through', ...step, draft, missing: false, inList: true } };
  }
  const draft = readFilter(filter, { ...reading, scope: elementScope, collection: undefined }, depth);
  if (!isSettled(draft)) throw refuseFilter('$elemMatch', 'A list element has no references to follow');
  return { kind: 'elemMatch', filter: draft };
}
