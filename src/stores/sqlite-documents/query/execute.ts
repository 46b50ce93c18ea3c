// Answers queries on one connection, as far as a meter allows. The same code serves the main thread and the readers.
import type { Filter } from '../../filter.ts';
import { compileFilter } from '../../matching/compile-filter.ts';
import type { FindQuery, Namespace, Sort } from '../../ports.ts';
import type { Catalogue, CollectionEntry } from '../data-file/catalogue.ts';
import type { Connection } from '../data-file/connection.ts';
import { documentText, parseDocument } from '../data-file/document-text.ts';
import { documentTable, indexTable } from '../data-file/schema.ts';
import type { WorkLimit } from '../data-file/work-limit.ts';
import { createSortKey } from '../indexes/index-rows.ts';
import { type Candidate, type CandidateSearch, findCandidates } from './candidates.ts';
import { countRows, estimateRows, orderedTableFor, readPage } from './ordered-table.ts';
import { MAX_SORTED_DOCUMENTS, planQuery } from './plan.ts';
import type { Plan } from './plan-types.ts';
import { createPrefilter } from './prefilter.ts';
import { createResultProjector } from './result-projector.ts';
import { type Match, selectPage } from './select-page.ts';

export interface ReadContext {
  readonly connection: Connection;
  readonly catalogue: Catalogue;
}

/** A plan that hopes to fill a page early may look at this many documents before it gives way to the other. */
const MAX_TRIAL_DOCUMENTS = 20_000;

class TrialLimitExceeded extends Error {}

/** Runs `work` on one snapshot, with the collection as it is there (undefined: there is none). */
export function onSnapshot<T>(
  { connection, catalogue }: ReadContext,
  ns: Namespace,
  work: (entry: CollectionEntry | undefined) => T,
): T {
  return connection.onSnapshot((isNew) => {
    if (isNew) catalogue.refresh();
    return work(catalogue.get(ns));
  });
}

function planFor(
  { connection }: ReadContext,
  entry: CollectionEntry,
  query: { filter: Filter; sort: Sort },
): Plan {
  return planQuery(query.filter, query.sort, {
    indexes: entry.indexes,
    estimate: (access) => estimateRows(connection, access, MAX_SORTED_DOCUMENTS),
  });
}

export interface FindTextsOptions {
  readonly query: FindQuery;
  readonly meter: WorkLimit;
  /** May throw to refuse a plan before it runs. */
  readonly accept?: (plan: Plan, entry: CollectionEntry) => void;
}

/** The texts of the documents that `query` asks for, in its order. Throws what `meter` throws. */
export function findTexts(
  reader: ReadContext,
  ns: Namespace,
  { query, meter, accept }: FindTextsOptions,
): readonly string[] {
  if (query.limit <= 0) return [];
  return onSnapshot(reader, ns, (entry) => {
    if (entry === undefined || query.skip >= entry.documents) return [];
    const run = { connection: reader.connection, entry, meter };
    const first = firstPage(run, query);
    if (first !== undefined) return first;
    const plan = planFor(reader, entry, query);
    accept?.(plan, entry);
    return runPlan(run, plan, query);
  });
}

/** The text of one document by its id, which takes no plan. */
export function findById(reader: ReadContext, ns: Namespace, id: string): string | undefined {
  return onSnapshot(reader, ns, (entry) => {
    if (entry === undefined) return undefined;
    const statement = reader.connection.statement(`select json from ${documentTable(entry.n)} where id = ?`);
    const row = statement.get(id) as unknown as [unknown] | undefined;
    return row === undefined ? undefined : documentText(row[0]);
  });
}

/** The first documents in the order of their ids, which takes no plan. */
function firstPage(run: Run, query: FindQuery): readonly string[] | undefined {
  const { filter, sort, skip, projection } = query;
  const isPlain = filter.kind === 'and' && filter.filters.length === 0 && sort.length === 0;
  if (!isPlain || skip > 0 || projection !== undefined) return undefined;
  const table = orderedTableFor(run.entry, ALL_BY_ID);
  return table === undefined
    ? undefined
    : readPage({ ...run, project: createResultProjector(undefined) }, table, query);
}

const ALL_BY_ID = { kind: 'walk', reversed: false, low: '', high: Buffer.from([0]) } as const;

type Run = Pick<CandidateSearch, 'connection' | 'entry' | 'meter'>;

function runPlan(run: Run, plan: Plan, query: FindQuery): readonly string[] {
  if (plan.fallback === undefined) return runWithoutFallback(run, plan, query);
  let looks = 0;
  const meter: WorkLimit = {
    tick(size) {
      run.meter.tick(size);
      looks += 1;
      if (looks > MAX_TRIAL_DOCUMENTS) throw new TrialLimitExceeded();
    },
  };
  try {
    return runWithoutFallback({ ...run, meter }, plan, query);
  } catch (error) {
    if (error instanceof TrialLimitExceeded) return runPlan(run, plan.fallback, query);
    throw error;
  }
}

function runWithoutFallback(run: Run, plan: Plan, query: FindQuery): readonly string[] {
  if (!plan.sorted) return findAndSort(run, plan, query);
  const table = plan.exact ? orderedTableFor(run.entry, plan.access) : undefined;
  if (table === undefined) return findInOrder(run, plan, query);
  return readPage({ ...run, project: createResultProjector(query.projection) }, table, query);
}

function candidateSearch(run: Run, plan: Plan, filter: Filter): CandidateSearch {
  return { ...run, prefilter: createPrefilter(filter, plan.access) };
}

function* matches(run: Run, plan: Plan, filter: Filter): Iterable<Candidate> {
  const found = findCandidates(candidateSearch(run, plan, filter), plan.access);
  if (plan.exact) {
    yield* found;
    return;
  }
  const test = compileFilter(filter);
  for (const candidate of found) {
    if (test(parseDocument(candidate[1]))) yield candidate;
  }
}

function findInOrder(run: Run, plan: Plan, { filter, skip, limit, projection }: FindQuery): string[] {
  const keep = createResultProjector(projection);
  const texts: string[] = [];
  let skipped = 0;
  for (const [, json] of matches(run, plan, filter)) {
    if (skipped < skip) {
      skipped += 1;
      continue;
    }
    texts.push(keep(json));
    if (texts.length === limit) break;
  }
  return texts;
}

function findAndSort(run: Run, plan: Plan, query: FindQuery): string[] {
  const keyOf = createSortKey(query.sort);
  const test = plan.exact ? undefined : compileFilter(query.filter);
  const matches = function* (): Iterable<Match> {
    for (const [doc, json] of findCandidates(candidateSearch(run, plan, query.filter), plan.access)) {
      const document = parseDocument(json);
      if (test !== undefined && !test(document)) continue;
      yield { key: keyOf(document, run.meter), doc };
    }
  };
  const { connection, entry, meter } = run;
  const statement = connection.statement(`select json from ${documentTable(entry.n)} where doc = ?`);
  const keep = createResultProjector(query.projection);
  return selectPage(matches, query).map((doc) => {
    const [text] = statement.get(doc) as unknown as [string];
    meter.tick(text.length);
    return keep(text);
  });
}

export interface CountOptions {
  readonly filter: Filter;
  readonly meter: WorkLimit;
  /** May throw to refuse a plan before it runs. */
  readonly accept?: (plan: Plan, entry: CollectionEntry) => void;
}

/** How many documents match. Throws what `meter` throws. */
export function countMatches(
  reader: ReadContext,
  ns: Namespace,
  { filter, meter, accept }: CountOptions,
): number {
  return onSnapshot(reader, ns, (entry) => {
    if (entry === undefined) return 0;
    const run = { connection: reader.connection, entry, meter };
    // No index has the order of a nameless field, so none is chosen for its order alone.
    const plan = planFor(reader, entry, { filter, sort: [['', 1]] });
    const { access } = plan;
    if (plan.exact && access.kind === 'scan') return entry.documents;
    accept?.(plan, entry);
    const table = plan.exact ? orderedTableFor(entry, access) : undefined;
    if (table !== undefined) return countRows(run, table);
    if (plan.exact && access.kind === 'index') return countDistinct(run, access);
    let count = 0;
    for (const _ of matches(run, plan, filter)) count += 1;
    return count;
  });
}

function countDistinct(
  { connection, meter }: Run,
  access: Extract<Plan['access'], { kind: 'index' }>,
): number {
  const name = indexTable(access.index.n, access.caseInsensitive);
  const statement = connection.statement(`select doc from ${name} where key >= ? and key < ?`);
  const docs = new Set<number>();
  for (const { low, high } of access.ranges) {
    for (const [doc] of statement.iterate(low, high) as unknown as Iterable<[number]>) {
      meter.tick(0);
      docs.add(doc);
    }
  }
  return docs.size;
}
