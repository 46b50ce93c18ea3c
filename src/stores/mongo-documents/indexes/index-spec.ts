// Index specifications: the one that a definition needs, and what an existing index is good for.
import type { Document } from 'mongodb';
import type { Direction, IndexDefinition } from '../../ports.ts';
import { CASE_INSENSITIVE_COLLATION } from '../filters/text-conditions.ts';

/** Members in this order always: records of indexes are compared as a whole. */
export interface IndexSpec {
  readonly name: string;
  readonly keys: readonly (readonly [path: string, direction: Direction])[];
  readonly unique: boolean;
  readonly sparse: boolean;
  /** Uses `CASE_INSENSITIVE_COLLATION`. */
  readonly folding: boolean;
}

/** An index of the server's list. */
export interface ServerIndex extends IndexSpec {
  /** It has an entry for every document (a sparse one aside), in an order that queries use. */
  readonly isPlain: boolean;
  /** It has no options beyond those of an `IndexSpec`. */
  readonly isBare: boolean;
}

const BARE_OPTIONS = new Set(['v', 'key', 'name', 'ns', 'background', 'unique', 'sparse', 'collation']);
const WEAKENING_OPTIONS = ['partialFilterExpression', 'hidden'];
// Defaults of a collation's members other than locale and strength.
const COLLATION_DEFAULTS: readonly (readonly [string, unknown])[] = [
  ['caseLevel', false],
  ['caseFirst', 'off'],
  ['numericOrdering', false],
  ['alternate', 'non-ignorable'],
  ['normalization', false],
  ['backwards', false],
];

const isDirection = (value: unknown): value is Direction => value === 1 || value === -1;

function isFolding(collation: Document): boolean {
  return (
    collation['locale'] === CASE_INSENSITIVE_COLLATION.locale &&
    collation['strength'] === CASE_INSENSITIVE_COLLATION.strength &&
    COLLATION_DEFAULTS.every(([member, value]) => (collation[member] ?? value) === value)
  );
}

/** Reads one entry of the server's list. */
export function parseFoundIndex(entry: Document): ServerIndex {
  const keys: [string, unknown][] = Object.entries(entry['key'] ?? {});
  const collation: unknown = entry['collation'];
  const folding = typeof collation === 'object' && collation !== null && isFolding(collation);
  const plain =
    keys.every(([, direction]) => isDirection(direction)) &&
    (collation === undefined || folding) &&
    !WEAKENING_OPTIONS.some((option) => Object.hasOwn(entry, option));
  return {
    name: String(entry['name']),
    keys: keys as [string, Direction][],
    unique: entry['unique'] === true,
    sparse: entry['sparse'] === true,
    folding,
    isPlain: plain,
    isBare: plain && Object.keys(entry).every((option) => BARE_OPTIONS.has(option)),
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
  if (bound) return { name, keys, unique, sparse, folding: false };
  return { name, keys: withIdKey(keys), unique: false, sparse: false, folding: false };
}

/** The shadow index of a definition; undefined if none of its keys ignores case. */
export function shadowOf(definition: IndexDefinition, name: string): IndexSpec | undefined {
  if (!definition.keys.some(({ fold }) => fold)) return undefined;
  const keys = withIdKey(pathsAndDirections(definition));
  return { name, keys, unique: false, sparse: false, folding: true };
}

const sameKeys = (a: IndexSpec['keys'], b: IndexSpec['keys']) => JSON.stringify(a) === JSON.stringify(b);

/** Whether both are the same index but for the name. */
export function isSameIndex(a: IndexSpec, b: IndexSpec): boolean {
  const same = a.unique === b.unique && a.sparse === b.sparse && a.folding === b.folding;
  return same && sameKeys(a.keys, b.keys);
}

/** Whether an index of another program serves as well as `wanted`. It may lack `_id` at the end. */
export function matchesSpec(found: ServerIndex, wanted: IndexSpec): boolean {
  if (!found.isPlain || found.folding || wanted.folding) return false;
  if (found.sparse && !wanted.sparse) return false;
  if (wanted.unique) return found.unique && sameKeys(found.keys, wanted.keys);
  return sameKeys(found.keys, wanted.keys) || sameKeys(withIdKey(found.keys), wanted.keys);
}

/** The index as `createIndexes` takes it, independent of the default collation of the collection. */
export function toIndexCommand({ name, keys, unique, sparse, folding }: IndexSpec): Document {
  return {
    name,
    key: new Map(keys),
    ...(unique ? { unique } : {}),
    ...(sparse ? { sparse } : {}),
    collation: folding ? { ...CASE_INSENSITIVE_COLLATION } : { locale: 'simple' },
  };
}
