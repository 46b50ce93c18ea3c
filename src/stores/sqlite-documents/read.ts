// Answers queries on one connection, as far as a meter allows. The same code serves the main thread and the readers.
import type { JsonObject } from '../../lib/json.ts';
import type { Filter } from '../filter.ts';
import { compileFilter } from '../matching/match.ts';
import { createProjector } from '../matching/project.ts';
import type { FindQuery, Namespace, StoredDocument } from '../ports.ts';
import { type Candidate, candidates, type Search } from './candidates.ts';
import type { Catalogue, CollectionEntry } from './catalogue.ts';
import { type Connection, inTransaction } from './connection.ts';
import { createSortKey } from './index-rows.ts';
import type { Meter } from './meter.ts';
import { planQuery } from './plan.ts';
import type { Plan } from './plan-types.ts';
import { NO_PREFILTER } from './prefilter.ts';
import { documentTable } from './schema.ts';
import { createTop } from './top.ts';

export interface Reader {
  readonly connection: Connection;
  readonly catalogue: Catalogue;
}

/** Runs `work` on one snapshot, with the collection as it is there (undefined: there is none). */
function onSnapshot<T>(
  { connection, catalogue }: Reader,
  ns: Namespace,
  work: (entry: CollectionEntry | undefined) => T,
): T {
  return inTransaction(connection, 'read', () => {
    catalogue.refresh();
    return work(catalogue.get(ns));
  });
}

/** The texts of the documents that `query` asks for, in its order. Throws what `meter` throws. */
export function findTexts(
  reader: Reader,
  ns: Namespace,
  { query, meter }: { readonly query: FindQuery; readonly meter: Meter },
): readonly string[] {
  if (query.limit <= 0) return [];
  const texts = onSnapshot(reader, ns, (entry) => {
    if (entry === undefined) return [];
    const search: Search = { connection: reader.connection, entry, meter, prefilter: NO_PREFILTER };
    const plan = planQuery(query.filter, query.sort, entry);
    return plan.sorted ? findInOrder(search, plan, query) : findAndSort(search, plan, query);
  });
  return query.projection === undefined ? texts : projected(texts, query.projection, meter);
}

function projected(
  texts: readonly string[],
  projection: NonNullable<FindQuery['projection']>,
  meter: Meter,
): readonly string[] {
  const project = createProjector(projection);
  return texts.map((text) => {
    meter.tick(0);
    return JSON.stringify(project(JSON.parse(text) as JsonObject));
  });
}

function* matches(search: Search, plan: Plan, filter: Filter): Iterable<Candidate> {
  if (plan.exact) {
    yield* candidates(search, plan.access);
    return;
  }
  const test = compileFilter(filter);
  for (const candidate of candidates(search, plan.access)) {
    if (test(JSON.parse(candidate[1]) as JsonObject)) yield candidate;
  }
}

function findInOrder(search: Search, plan: Plan, { filter, skip, limit }: FindQuery): string[] {
  const texts: string[] = [];
  let skipped = 0;
  for (const [, json] of matches(search, plan, filter)) {
    if (skipped < skip) {
      skipped += 1;
      continue;
    }
    texts.push(json);
    if (texts.length === limit) break;
  }
  return texts;
}

function findAndSort(search: Search, plan: Plan, query: FindQuery): string[] {
  const keyOf = createSortKey(query.sort);
  const top = createTop(query.skip + query.limit);
  const test = plan.exact ? undefined : compileFilter(query.filter);
  for (const [doc, json] of candidates(search, plan.access)) {
    const document = JSON.parse(json) as StoredDocument;
    if (test !== undefined && !test(document)) continue;
    top.add({ key: keyOf(document, search.meter), doc });
  }
  const { connection, entry, meter } = search;
  const statement = connection.statement(`select json from ${documentTable(entry.n)} where doc = ?`);
  return top
    .sorted()
    .slice(query.skip)
    .map(({ doc }) => {
      const text = String((statement.get(doc) as unknown as readonly unknown[])[0]);
      meter.tick(text.length);
      return text;
    });
}

/** How many documents match. Throws what `meter` throws. */
export function countMatches(
  reader: Reader,
  ns: Namespace,
  { filter, meter }: { readonly filter: Filter; readonly meter: Meter },
): number {
  return onSnapshot(reader, ns, (entry) => {
    if (entry === undefined) return 0;
    const plan = planQuery(filter, [['', 1]], entry);
    if (plan.exact && plan.access.kind === 'scan') return entry.documents;
    const search: Search = { connection: reader.connection, entry, meter, prefilter: NO_PREFILTER };
    let count = 0;
    for (const _ of matches(search, plan, filter)) count += 1;
    return count;
  });
}
