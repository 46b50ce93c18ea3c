// Long lists of values in filters: deduplicated before translation, and too long for the server beyond a limit.
import { createYielder } from '../../../lib/async/maybe-promise.ts';
import type { Json } from '../../../lib/json/json.ts';
import { unreachable } from '../../../lib/unreachable.ts';
import type { Filter, FilterTest } from '../../filter.ts';

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
  return hasLongList(filter) ? ofFilter(filter, createYielder()) : filter;
}

/** Whether a filter has a list so long that iterating over it takes noticeable time. */
export function hasLongList(filter: Filter): boolean {
  if (filter.kind !== 'field') return filter.filters.some(hasLongList);
  return filter.tests.some(isLongTest);
}

function isLongTest(test: FilterTest): boolean {
  switch (test.kind) {
    case 'in':
    case 'nin':
    case 'all':
      return test.values.length > MAX_SHORT_LIST;
    case 'not':
    case 'elemMatchValue':
      return test.tests.some(isLongTest);
    case 'elemMatch':
      return hasLongList(test.filter);
    case 'eq':
    case 'ne':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'exists':
    case 'size':
    case 'type':
    case 'regex':
      return false;
    default:
      return unreachable(test);
  }
}

type Pace = ReturnType<typeof createYielder>;

async function ofFilter(filter: Filter, pace: Pace): Promise<Filter> {
  if (filter.kind === 'field') return { ...filter, tests: await ofTests(filter.tests, pace) };
  const filters: Filter[] = [];
  for (const part of filter.filters) filters.push(await ofFilter(part, pace));
  return { ...filter, filters };
}

async function ofTests(tests: readonly FilterTest[], pace: Pace): Promise<readonly FilterTest[]> {
  const results: FilterTest[] = [];
  for (const test of tests) results.push(isLongTest(test) ? await ofTest(test, pace) : test);
  return results;
}

async function ofTest(test: FilterTest, pace: Pace): Promise<FilterTest> {
  switch (test.kind) {
    case 'in':
    case 'nin':
    case 'all':
      return { ...test, values: await distinct(test.values, pace) };
    case 'not':
    case 'elemMatchValue':
      return { ...test, tests: await ofTests(test.tests, pace) };
    case 'elemMatch':
      return { ...test, filter: await ofFilter(test.filter, pace) };
    case 'eq':
    case 'ne':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'exists':
    case 'size':
    case 'type':
    case 'regex':
      return test;
    default:
      return unreachable(test);
  }
}

/** Values between two checks of the clock. */
const VALUES_PER_STEP = 1000;

async function distinct(values: readonly Json[], pace: Pace): Promise<readonly Json[]> {
  const seen = new Set<Json>();
  for (let from = 0; from < values.length; from += VALUES_PER_STEP) {
    const end = Math.min(from + VALUES_PER_STEP, values.length);
    for (let at = from; at < end; at += 1) seen.add(values[at] as Json);
    await pace();
  }
  return [...seen];
}
