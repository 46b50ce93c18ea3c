// Finds text whatever its case by an index: by the index that ignores case, or by the spellings that an exact one holds.
import type { Document } from 'mongodb';
import type { JsonObject } from '../../../lib/json.ts';
import type { Filter } from '../../filter.ts';
import { createSorter } from '../../matching/order.ts';
import { parsePath, readField } from '../../matching/paths.ts';
import type { Namespace, Sort } from '../../ports.ts';
import type { KnownIndex, Scope } from '../connection/types.ts';
import { holds, type Said } from '../filters/said.ts';
import { otherForms } from '../filters/text.ts';
import { translateFilter } from '../filters/translate.ts';
import { foldedEqualities, textEqualities, withSpellings } from '../folding/equalities.ts';
import type { Experience } from '../folding/experience.ts';
import { FOLDING, isJoined } from '../folding/folding.ts';
import { findSpellings } from '../folding/lookup.ts';
import type { SpellingMemory } from '../folding/memory.ts';
import { type Page, readTexts, type Search } from './page.ts';
import { findPlain } from './plain.ts';
import { serverProjection } from './projection.ts';
import { countRows, countRowsAt } from './rows.ts';
import { serverSort } from './sort.ts';

/** So many matches are counted under the collation, which has to look at each; more are found by their spellings. */
const FEW = 300;

interface Condition {
  readonly ns: Namespace;
  readonly filter: Filter;
  readonly known: readonly KnownIndex[];
  readonly experience: Experience;
  readonly memory: SpellingMemory;
}

/** The page, where an index helps to find it; undefined where none does. */
export async function findFolded(scope: Scope, search: Search): Promise<Page | undefined> {
  const { ns, query, experience, memory } = search;
  if (foldedEqualities(query.filter).length === 0) return undefined;
  const remembered = memory.recall(ns, query.filter);
  if (remembered !== undefined) {
    const page = await findExact(scope, search, remembered.filter);
    if (page.time === remembered.time) return page;
  }
  const givenUp = memory.givenUp(ns, query.filter);
  const bySpelling = async () => (givenUp.all ? undefined : await findSpelled(scope, search));
  const pays = memory.isAskedAgain(ns, query.filter) && !givenUp.some;
  // One round trip, where the collation's order is known to be the right one; otherwise the page would be for nothing.
  if (givenUp.all || (experience.isSteady(ns, query.sort) && !pays)) {
    return (await findCollated(scope, search)) ?? (await bySpelling());
  }
  return (await bySpelling()) ?? (await findCollated(scope, search));
}

async function findSpelled(scope: Scope, search: Search): Promise<Page | undefined> {
  const { ns, query, experience } = search;
  const filter = await spelled(scope, { ...search, filter: query.filter });
  if (filter === undefined) return undefined;
  const page = await findExact(scope, search, filter);
  if (query.projection === undefined && page.texts.length > 0) {
    experience.sawOrder(ns, query.sort, page.texts.every(createOrderCheck(query.sort)));
  }
  return page;
}

/** Takes the filter with spellings in it. */
async function findExact(scope: Scope, search: Search, filter: Filter): Promise<Page> {
  const { query, memory } = search;
  const page = await findPlain(
    scope,
    { ...search, query: { ...query, filter } },
    translateFilter(filter, PLAIN),
  );
  memory.saw(page.time);
  return page;
}

/** The number of matches, where an index helps to find them; undefined where none does. */
export async function countFolded(scope: Scope, condition: Condition): Promise<number | undefined> {
  const { ns, filter, experience, memory } = condition;
  if (foldedEqualities(filter).length === 0) return undefined;
  const remembered = memory.recall(ns, filter);
  if (remembered !== undefined) {
    const query = translateFilter(remembered.filter, PLAIN).query;
    const { count, time } = await countRowsAt(scope, { ns, query });
    memory.saw(time);
    if (time === remembered.time) return count;
  }
  const query = collatedQuery(condition);
  if (query !== undefined && !experience.hasMany(ns, filter)) {
    const count = await countRows(scope, { ns, query, collation: FOLDING, limit: FEW });
    if (count < FEW) return count;
    experience.sawMany(ns, filter);
  }
  const exact = await spelled(scope, condition);
  if (exact !== undefined) return countRows(scope, { ns, query: translateFilter(exact, PLAIN).query });
  return query && countRows(scope, { ns, query, collation: FOLDING });
}

const PLAIN = { collated: false };

/** Texts of one filter that are looked up, each by many round trips; a few narrow enough, patterns say the rest. */
const MOST_TEXTS = 4;

/** The filter with the spellings that there are; undefined where they could not be found. */
async function spelled(
  scope: Scope,
  { ns, filter, known, memory }: Pick<Condition, 'ns' | 'filter' | 'known' | 'memory'>,
): Promise<Filter | undefined> {
  let result: Filter | undefined;
  for (const equality of foldedEqualities(filter).slice(0, MOST_TEXTS)) {
    // What was read in between is of this time only if it was the latest before.
    const before = memory.latest();
    const found = await findSpellings(scope, equality, { ns, known });
    if (found === undefined) {
      memory.giveUp(ns, equality);
      continue;
    }
    const { spellings, time } = found;
    memory.saw(time);
    if (time !== undefined && time === before) memory.keep(ns, equality, { spellings, time });
    result = withSpellings(result ?? filter, equality, spellings);
  }
  return result;
}

/** The exact query under the collation, narrowed so that its index serves; undefined where there is none such. */
function collatedQuery({ filter, known }: Pick<Condition, 'filter' | 'known'>): Document | undefined {
  const folded = foldedEqualities(filter).filter(({ text }) => isJoined(text));
  const twin = known.find(
    ({ folding, definition }) => folding && folded.some(({ path }) => definition.keys[0]?.path === path),
  );
  const said = twin && translateFilter(filter, { collated: true });
  if (said?.exact !== true) return undefined;
  const narrowing = textEqualities(filter)
    .filter(({ text }) => isJoined(text))
    .filter(({ path }) => twin?.definition.keys.some((key) => key.path === path))
    .map(({ path, text }): Said => holds(path, [text, ...otherForms(text)]));
  return { $and: [...narrowing.map(({ query }) => query), said.query] };
}

/**
 * The page as the collation gives it, where that is the right one. Its order differs from the exact one only among texts
 * and what holds texts.
 */
async function findCollated(
  scope: Scope,
  { ns, query, known, experience, memory, collect }: Search,
): Promise<Page | undefined> {
  const { filter, sort, skip, limit, projection } = query;
  const collated = collatedQuery({ filter, known });
  const order = serverSort(sort, known);
  if (collated === undefined || order === undefined) return undefined;
  const { fields, finish } = serverProjection(projection, ['_id', ...sort.map(([path]) => path)]);
  const ask = { ns, query: collated, sort: order, skip, limit, fields, collation: FOLDING };
  const { texts, time } = await readTexts(scope, ask, collect());
  memory.saw(time);
  if (texts.every(createOrderCheck(sort))) return { texts, finish };
  experience.sawOrder(ns, sort, false);
  // Fewer than asked for are all that there are.
  if (skip > 0 || texts.length >= limit) return undefined;
  const { keyOf, compare } = createSorter(sort);
  const keyed = texts.map((text) => ({ key: keyOf(JSON.parse(text) as JsonObject), text }));
  keyed.sort((a, b) => compare(a.key, b.key));
  return { texts: keyed.map(({ text }) => text), finish };
}

/** The end of a document's text whose id is an ObjectId. */
const OBJECT_ID_END = /"_id":"[0-9a-f]{24}"\}$/;

/** Tells of a document whether every collation gives it the same place. */
function createOrderCheck(sort: Sort): (text: string) => boolean {
  const paths = sort.filter(([path]) => path !== '_id').map(([path]) => parsePath(path));
  const names = paths.map(([part, ...rest]) =>
    part !== undefined && rest.length === 0 ? `${JSON.stringify(part.name)}:` : undefined,
  );
  return (text) => {
    if (!OBJECT_ID_END.test(text.slice(-40))) return false;
    if (names.every((name) => name !== undefined && isSteadyText(text, name))) return true;
    const document = JSON.parse(text) as JsonObject;
    return paths.every((parts) => isSteady(document, parts));
  };
}

/** True where no member of that name, however deep, holds text or anything with members: told without parsing. */
function isSteadyText(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    if ('"{['.includes(text.charAt(at + name.length))) return false;
  }
  return true;
}

function isSteady(document: JsonObject, parts: ReturnType<typeof parsePath>): boolean {
  let value: unknown = document;
  for (const part of parts) {
    if (Array.isArray(value)) return false;
    value = typeof value === 'object' && value !== null ? readField(value as JsonObject, part) : undefined;
  }
  return typeof value !== 'string' && (typeof value !== 'object' || value === null);
}
