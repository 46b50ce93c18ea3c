// Long lists of values in filters: deduplicated before translation, and too long for the server beyond a limit.
import { createYielder } from '../../../lib/async/maybe-promise.ts';
import type { Json } from '../../../lib/json/json.ts';
import { type Filter, type FilterTest, mapPlainTests, type PlainTest, plainTestsOf } from '../../filter.ts';

/** Lists of up to so many values are sent unchanged. */
const MAX_SHORT_LIST = 1000;

/**
 * What the server is asked of one list at most, in values and in characters of their texts: putting it into the bytes of a
 * command holds the thread, and a command has 16 MiB at most.
 */
const MAX_VALUES = 100_000;
const MAX_CHARACTERS = 8_000_000;

/** False for a list that is too long for a command. */
export function isTranslatableList(values: readonly Json[]): boolean {
  if (values.length > MAX_VALUES) return false;
  if (values.length <= MAX_SHORT_LIST) return true;
  let characters = 0;
  for (const value of values) if (typeof value === 'string') characters += value.length;
  return characters <= MAX_CHARACTERS;
}

/** The filter without repeated values in its long lists; the same filter, synchronously, if it has no long list. */
export function deduplicateLists(filter: Filter): Filter | Promise<Filter> {
  return hasLongList(filter) ? withoutRepeats(filter) : filter;
}

/** Whether a filter has a list so long that iterating over it takes noticeable time. */
export function hasLongList(filter: Filter): boolean {
  for (const [, test] of plainTestsOf(filter)) if (isLongList(test)) return true;
  return false;
}

const isLongList = (test: PlainTest): test is Extract<PlainTest, { values: unknown }> =>
  'values' in test && test.values.length > MAX_SHORT_LIST;

async function withoutRepeats(filter: Filter): Promise<Filter> {
  const pace = createYielder();
  const shortened = new Map<FilterTest, FilterTest>();
  for (const [, test] of plainTestsOf(filter)) {
    if (isLongList(test)) shortened.set(test, { ...test, values: await distinct(test.values, pace) });
  }
  return mapPlainTests(filter, (test) => shortened.get(test) ?? test);
}

/** Values between two checks of the clock. */
const VALUES_PER_STEP = 1000;

async function distinct(
  values: readonly Json[],
  pace: ReturnType<typeof createYielder>,
): Promise<readonly Json[]> {
  const seen = new Set<Json>();
  for (let from = 0; from < values.length; from += VALUES_PER_STEP) {
    const end = Math.min(from + VALUES_PER_STEP, values.length);
    for (let at = from; at < end; at += 1) seen.add(values[at] as Json);
    await pace();
  }
  return [...seen];
}
