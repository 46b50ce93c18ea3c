// Compares index definitions with existing indexes: what each definition needs, which index serves it, which are missing, which
// may be dropped; and keeps the indexes that this process has declared, for reads and commits.

import type { Document } from 'mongodb';
import { type Direction, type IndexDefinition, namespaceKey } from '../../ports.ts';
import type { IndexCache, KnownIndex } from '../connection/types.ts';

/** Members in this order always: records of indexes are compared as a whole. */
export interface IndexSpec {
  readonly name: string;
  readonly keys: readonly (readonly [path: string, direction: Direction])[];
  readonly unique: boolean;
  readonly sparse: boolean;
}

/** An index of the server's list. */
export interface ServerIndex extends IndexSpec {
  /** It has an entry for every document (a sparse one aside), in an order that queries use. */
  readonly isPlain: boolean;
  /** It has no options beyond those of an `IndexSpec`. */
  readonly isBare: boolean;
}

const BARE_OPTIONS = new Set(['v', 'key', 'name', 'ns', 'background', 'unique', 'sparse']);
/** With a collation it compares text by the rules of a language. */
const WEAKENING_OPTIONS = ['partialFilterExpression', 'hidden', 'collation'];
const isDirection = (value: unknown): value is Direction => value === 1 || value === -1;

/** Reads one entry of the server's list. */
export function parseFoundIndex(entry: Document): ServerIndex {
  const keys: [string, unknown][] = Object.entries(entry['key'] ?? {});
  const isPlain =
    keys.every(([, direction]) => isDirection(direction)) &&
    !WEAKENING_OPTIONS.some((option) => Object.hasOwn(entry, option));
  return {
    name: String(entry['name']),
    keys: keys as [string, Direction][],
    unique: entry['unique'] === true,
    sparse: entry['sparse'] === true,
    isPlain,
    isBare: isPlain && Object.keys(entry).every((option) => BARE_OPTIONS.has(option)),
  };
}

const pathsAndDirections = ({ keys }: IndexDefinition) =>
  keys.map(({ path, direction }) => [path, direction] as const);

/** With `_id` at the end, in the direction of the last key, so that the index gives the order of a sort with its ties. */
function withIdKey(keys: IndexSpec['keys']): IndexSpec['keys'] {
  if (keys.some(([path]) => path === '_id')) return keys;
  return [...keys, ['_id', keys.at(-1)?.[1] ?? 1]];
}

/** The index that serves a definition. Keys with `_id` among them are unique by themselves. */
export function specOf(definition: IndexDefinition): IndexSpec {
  const { name, unique, sparse } = definition;
  const keys = pathsAndDirections(definition);
  const bound = unique && !keys.some(([path]) => path === '_id');
  if (bound) return { name, keys, unique, sparse };
  return { name, keys: withIdKey(keys), unique: false, sparse: false };
}

const sameKeys = (a: IndexSpec['keys'], b: IndexSpec['keys']) => JSON.stringify(a) === JSON.stringify(b);

/** Whether both are the same index but for the name. */
export function isSameIndex(a: IndexSpec, b: IndexSpec): boolean {
  return a.unique === b.unique && a.sparse === b.sparse && sameKeys(a.keys, b.keys);
}

/** Whether an index of another program serves as well as `wanted`. It may lack `_id` at the end. */
export function matchesSpec(found: ServerIndex, wanted: IndexSpec): boolean {
  if (!found.isPlain) return false;
  if (found.sparse && !wanted.sparse) return false;
  if (wanted.unique) return found.unique && sameKeys(found.keys, wanted.keys);
  return sameKeys(found.keys, wanted.keys) || sameKeys(withIdKey(found.keys), wanted.keys);
}

/** The index as `createIndexes` takes it, independent of the default collation of the collection. */
export function toIndexCommand({ name, keys, unique, sparse }: IndexSpec): Document {
  return {
    name,
    key: new Map(keys),
    ...(unique ? { unique } : {}),
    ...(sparse ? { sparse } : {}),
    collation: { locale: 'simple' },
  };
}

export interface ServingIndex {
  readonly spec: IndexSpec;
  /** It is there already, if perhaps not filled yet. */
  readonly exists: boolean;
  /** It is or will be exactly `spec`, so that the server can be asked to confirm it. */
  readonly exact: boolean;
}

/** A definition and the index that serves it. */
export interface Placement {
  readonly definition: IndexDefinition;
  readonly index: ServingIndex;
}

export interface IndexMigrationPlan {
  readonly placements: readonly Placement[];
  /** Declared, but the name belongs to a different index of another program. */
  readonly conflicts: readonly IndexDefinition[];
  /** Ours, and no longer declared. */
  readonly undeclared: readonly IndexSpec[];
  /** How many indexes there are, that of `_id` aside. */
  readonly total: number;
}

/** The one name that the server does not take for an index. */
const validName = (name: string) => (name === '*' ? '(*)' : name);

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number += 1) name = `${wanted}~${number}`;
  return name;
}

/** Whether each index serves a definition and none is missing. */
export function isComplete({ placements, conflicts, undeclared: unneeded }: IndexMigrationPlan): boolean {
  return placements.every(({ index }) => index.exists) && conflicts.length === 0 && unneeded.length === 0;
}

class IndexPlanner {
  readonly #found: readonly ServerIndex[];
  readonly #isOurs: (index: ServerIndex) => boolean;
  readonly #reserved: ReadonlySet<string>;
  readonly #missing: IndexSpec[] = [];

  constructor(found: readonly ServerIndex[], isOurs: (index: ServerIndex) => boolean, reserved: Set<string>) {
    this.#found = found;
    this.#isOurs = isOurs;
    this.#reserved = reserved;
  }

  /** Undefined if the name belongs to an index of another program. */
  place(definition: IndexDefinition): Placement | undefined {
    const wanted = { ...specOf(definition), name: validName(definition.name) };
    const serving = this.#serve(wanted);
    if (serving === undefined && this.#isTaken(wanted.name)) return undefined;
    return { definition, index: serving ?? this.#add(wanted) };
  }

  #serve(wanted: IndexSpec): ServingIndex | undefined {
    const exact = this.#found.find((index) => index.isBare && isSameIndex(index, wanted));
    if (exact !== undefined) return { spec: exact, exists: true, exact: true };
    const foreign = this.#found.find((index) => !this.#isOurs(index) && matchesSpec(index, wanted));
    if (foreign !== undefined) return { spec: foreign, exists: true, exact: foreign.isBare };
    const added = this.#missing.find((index) => isSameIndex(index, wanted));
    return added && { spec: added, exists: false, exact: true };
  }

  /** Whether an index of another program has the name. */
  #isTaken(wanted: string): boolean {
    const holder = this.#found.find(({ name }) => name === wanted);
    return holder !== undefined && !this.#isOurs(holder);
  }

  /** If an existing index still has the name, the new one gets another name. */
  #add(wanted: IndexSpec): ServingIndex {
    const names = new Set([...this.#found, ...this.#missing].map(({ name }) => name));
    const isFree = !names.has(wanted.name);
    const others = new Set([...names, ...this.#reserved]);
    const spec = isFree ? wanted : { ...wanted, name: freeName(wanted.name, others) };
    this.#missing.push(spec);
    return { spec, exists: false, exact: true };
  }
}

/**
 * The plan for all definitions of a collection. `found` does not include the index of `_id`; `isOurs` returns
 * which of them were made here and may be dropped.
 */
export function planIndexMigration(
  definitions: readonly IndexDefinition[],
  found: readonly ServerIndex[],
  isOurs: (index: ServerIndex) => boolean,
): IndexMigrationPlan {
  const reserved = new Set(definitions.map(({ name }) => validName(name)));
  const planner = new IndexPlanner(found, isOurs, reserved);
  const placements: Placement[] = [];
  const conflicts: IndexDefinition[] = [];
  for (const definition of definitions) {
    const placement = planner.place(definition);
    if (placement === undefined) conflicts.push(definition);
    else placements.push(placement);
  }
  const serving = new Set(placements.map(({ index }) => index.spec.name));
  const undeclared = found.filter((index) => isOurs(index) && !serving.has(index.name));
  return { placements, conflicts, undeclared, total: found.length };
}

export interface WritableIndexCache extends IndexCache {
  /** Replaces the entry of a namespace key by the indexes of a plan, without those that could not be built. */
  set(key: string, plan: IndexMigrationPlan, failed?: ReadonlySet<string>): void;
}

function knownIndex({ definition, index }: Placement): KnownIndex {
  const { name, keys, unique, sparse } = index.spec;
  return { definition, name, endsInId: keys.at(-1)?.[0] === '_id', isUnique: unique && !sparse };
}

/** Knows nothing at first. */
export function createIndexCache(): WritableIndexCache {
  const byKey = new Map<string, readonly KnownIndex[]>();
  return {
    of: (ns) => byKey.get(namespaceKey(ns)) ?? [],
    set(key, { placements }, failed) {
      const there = placements.filter(({ index }) => failed?.has(index.spec.name) !== true);
      byKey.set(key, there.map(knownIndex));
    },
  };
}
