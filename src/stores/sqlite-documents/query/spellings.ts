// Replaces case-insensitive equality by the spellings that an index holds, which a skip scan finds: from each key to the next
// possible spelling. Indexes hold text as it is, and so serve these filters too.
import { foldCase } from '../../../lib/regex/case-folding.ts';
import { createTextCache } from '../../../lib/text-cache.ts';
import { createTextKeys } from '../../../lib/text-keys.ts';
import type { Filter, FilterTest } from '../../filter.ts';
import { compareText } from '../../matching/compare.ts';
import { createSpellings } from '../../matching/spellings.ts';
import type { Direction } from '../../ports.ts';
import { type CollectionEntry, type IndexEntry, indexTable } from '../data-file/catalogue.ts';
import type { Connection, WorkLimit } from '../data-file/connection.ts';
import { StorageError } from '../data-file/storage-errors.ts';
import { decodeText, encodeValue, inDirection, prefixSuccessor, TYPE_TAG } from '../indexes/index-keys.ts';
import {
  type Conjunction,
  flattenConjunction,
  hasPosition,
  keyPlaces,
  MAX_RANGES,
  sharesArray,
} from './index-access.ts';
import { keyBoundsOf } from './key-bounds.ts';

/** Returns a filter that matches the same documents of the collection as it is now: the same object where no test ignores case. */
export type SpellingResolver = (entry: CollectionEntry, filter: Filter, workLimit: WorkLimit) => Filter;

type Indexes = CollectionEntry['indexes'];

/** Changes when queries may use the index, or when it holds its first array. */
export const stateOf = ({ ready, multikey }: IndexEntry): number => 2 * multikey + (ready ? 1 : 0);

/** Whether each index has the state in `states`. */
export const hasState = (indexes: Indexes, states: readonly number[]): boolean =>
  indexes.every((index, at) => stateOf(index) === states[at]);

interface Resolution {
  readonly filter: Filter;
  readonly indexes: Indexes;
  readonly states: readonly number[];
  /** The commits of the collection before it. */
  readonly writes: number;
}

/** Resolutions that are remembered, and the characters up to which the filter of one is. */
const MAX_RESOLUTIONS = 500;
const MAX_FILTER_CHARACTERS = 4096;

/** Creates the resolver of one connection. A resolution is remembered, by the text of its filter, until the next write to its collection. */
export function createSpellingResolver(connection: Connection): SpellingResolver {
  const resolutions = createTextCache<Resolution>({
    max: MAX_RESOLUTIONS,
    maxCharacters: MAX_FILTER_CHARACTERS,
  });
  const keyOf = createTextKeys();

  return (entry, filter, workLimit) => {
    if (!ignoresCase(filter)) return filter;
    const { indexes, writes } = entry;
    const key = keyOf(String(entry.n), filter);
    const known = resolutions.get(key);
    const isCurrent =
      known?.writes === writes && known.indexes === indexes && hasState(indexes, known.states);
    if (known !== undefined && isCurrent) return known.filter;
    const resolved = resolveFilter({ connection, indexes, workLimit }, filter);
    resolutions.set(key, { filter: resolved, indexes, states: indexes.map(stateOf), writes });
    return resolved;
  };
}

type CaseInsensitiveTest = Extract<FilterTest, { kind: 'eq' }> & { readonly value: string };

const isCaseInsensitive = (test: FilterTest): test is CaseInsensitiveTest =>
  test.kind === 'eq' && test.caseInsensitive === true && typeof test.value === 'string';

/** Whether a test that an index could serve ignores case. */
function ignoresCase(filter: Filter): boolean {
  if (filter.kind === 'field') return filter.tests.some(isCaseInsensitive);
  return filter.kind !== 'nor' && filter.filters.some(ignoresCase);
}

interface SpellingSearch {
  readonly connection: Connection;
  readonly indexes: Indexes;
  readonly workLimit: WorkLimit;
}

function resolveFilter(search: SpellingSearch, filter: Filter): Filter {
  const conjunction = flattenConjunction(filter);
  const tests = search.indexes.reduce(
    (resolved, index) => (index.ready ? resolveByIndex(search, resolved, index) : resolved),
    conjunction.tests,
  );
  const fields = [...tests].map(([path, own]): Filter => ({ kind: 'field', path, tests: own }));
  const others = conjunction.others.map((node): Filter => {
    if (node.kind !== 'or') return node;
    return { kind: 'or', filters: node.filters.map((branch) => resolveFilter(search, branch)) };
  });
  return { kind: 'and', filters: [...fields, ...others] };
}

/** Resolves the tests of the first keys of the index, as far as each key before has single values. */
function resolveByIndex(
  search: SpellingSearch,
  unresolved: Conjunction['tests'],
  index: IndexEntry,
): Conjunction['tests'] {
  const tests = new Map(unresolved);
  const places = keyPlaces(index);
  let prefixes: readonly Buffer[] = [Buffer.alloc(0)];
  for (const place of places) {
    const { path, direction } = place.key;
    const own = tests.get(path);
    if (own === undefined || hasPosition(path) || sharesArray(place, places)) break;
    const at = own.findIndex(isCaseInsensitive);
    const test = own[at];
    if (test !== undefined && isCaseInsensitive(test)) {
      const found = prefixes.flatMap((prefix) =>
        findSpellings(search, { index, prefix, direction }, test.value),
      );
      tests.set(path, own.with(at, anyOf([...new Set(found)])));
    }
    const bounds = keyBoundsOf(tests.get(path) ?? [], place);
    if (bounds?.points !== true || prefixes.length * bounds.ranges.length > MAX_RANGES) break;
    prefixes = prefixes.flatMap((prefix) =>
      bounds.ranges.map(({ low }) => Buffer.concat([prefix, inDirection(low, direction)])),
    );
  }
  return tests;
}

function anyOf(values: readonly string[]): FilterTest {
  const [value] = values;
  return values.length === 1 && value !== undefined ? { kind: 'eq', value } : { kind: 'in', values };
}

/** The rows of an index whose keys begin with `prefix`, which ends before a key of this direction. */
interface SpellingRange {
  readonly index: IndexEntry;
  readonly prefix: Buffer;
  readonly direction: Direction;
}

/** Of a longer text, only so many characters say where to continue: rows that begin with them are read one by one. */
const MAX_SKIP_CHARACTERS = 500;

/**
 * The texts of a key that equal `text`, ignoring case. Takes one step for each, and one for each beginning in which spellings
 * part in the data: few, but only `workLimit` bounds them.
 */
function findSpellings(
  { connection, workLimit }: SpellingSearch,
  { index, prefix, direction }: SpellingRange,
  text: string,
): readonly string[] {
  const spellings = createSpellings(text, { maxCharacters: MAX_SKIP_CHARACTERS });
  if (spellings.isSingle && !spellings.isOpen) return [text];
  const folded = foldCase(text);
  const order = direction === 1 ? 'asc' : 'desc';
  const statement = connection.statement(
    `select key from ${indexTable(index.n)} where key >= ? and key < ? order by key ${order} limit 1`,
  );
  const encode = (value: Buffer) => Buffer.concat([prefix, inDirection(value, direction)]);
  const texts = encode(ANY_TEXT);
  const end = prefixSuccessor(texts);
  /** The first key, in the order of texts, whose text is not less than `start`. */
  const keyFrom = (start: string) => {
    const key = encode(encodeValue(start));
    const row = direction === 1 ? statement.get(key, end) : statement.get(texts, prefixSuccessor(key));
    return row as unknown as readonly [Uint8Array] | undefined;
  };
  const found: string[] = [];
  for (let from = spellings.from(''); from !== undefined; ) {
    workLimit.tick(0);
    const row = keyFrom(from);
    if (row === undefined) break;
    const stored = decodeText(row[0], prefix.length, direction);
    if (compareText(stored, from) < 0) throw new StorageError('damaged', 'an index is out of order');
    from = spellings.from(stored);
    if (from !== stored) continue;
    if (!spellings.isOpen || foldCase(stored) === folded) found.push(stored);
    from = spellings.from(`${stored}\0`);
  }
  return found;
}

/** How every encoded text begins. */
const ANY_TEXT = Buffer.from([TYPE_TAG.string]);
