// Runs a query on one connection: plan, then read a page, filter and sort as the plan requires. The main thread runs it with
// a small work limit, the reader threads with a deadline.

import { StoreError } from '../../../errors/errors.ts';
import type { Filter } from '../../filter.ts';
import { compileFilter } from '../../matching/compile-filter.ts';
import { createProjector } from '../../matching/projector.ts';
import type { FindQuery, Namespace, Projection, Sort } from '../../ports.ts';
import { type CollectionEntry, onSnapshot, type ReadContext } from '../data-file/catalogue.ts';
import { documentText, parseDocument } from '../data-file/document-text.ts';
import { documentTable, indexTable } from '../data-file/schema.ts';
import type { WorkLimit } from '../data-file/work-limit.ts';
import { createSortKey } from '../indexes/index-rows.ts';
import { type Candidate, type CandidateSearch, findCandidates } from './candidates.ts';
import { countRows, estimateRows, orderedTableFor, readPage } from './ordered-table.ts';
import { MAX_SORTED_DOCUMENTS, planQuery } from './plan.ts';
import type { Plan } from './plan-types.ts';
import { createPrefilter } from './prefilter.ts';
import { type Match, selectPage } from './select-page.ts';

/** A plan with a fallback may examine this many documents before the fallback takes over. */
const MAX_TRIAL_DOCUMENTS = 20_000;

class TrialLimitExceeded extends Error {}

/** Longest result of one query, in UTF-16 units. A page may have few documents and still be too large for memory. */
const MAX_RESULT_TEXT = 64 * 1024 * 1024;

/** Creates the function that turns stored texts into results. It throws `too-much` past the limit, `damaged` for other texts. */
export function createResultProjector(projection: Projection | undefined): (text: string) => string {
  const applyProjection = projection === undefined ? undefined : createProjector(projection);
  let remaining = MAX_RESULT_TEXT;
  return (text) => {
    const result =
      applyProjection === undefined
        ? documentText(text)
        : JSON.stringify(applyProjection(parseDocument(text)));
    remaining -= result.length;
    if (remaining < 0) throw new StoreError('too-much');
    return result;
  };
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
  readonly workLimit: WorkLimit;
  /** Called before a plan runs. May throw to reject it. */
  readonly accept?: (plan: Plan, entry: CollectionEntry) => void;
}

/** Finds the texts of the documents that match `query`, in its order. Throws what `workLimit` throws. */
export function findTexts(
  context: ReadContext,
  ns: Namespace,
  { query, workLimit, accept }: FindTextsOptions,
): readonly string[] {
  if (query.limit <= 0) return [];
  return onSnapshot(context, ns, (entry) => {
    if (entry === undefined || query.skip >= entry.documents) return [];
    const run = { connection: context.connection, entry, workLimit };
    const first = firstPage(run, query);
    if (first !== undefined) return first;
    const plan = planFor(context, entry, query);
    accept?.(plan, entry);
    return runPlan(run, plan, query);
  });
}

/** Finds the text of one document by its id, without a plan. */
export function findById(context: ReadContext, ns: Namespace, id: string): string | undefined {
  return onSnapshot(context, ns, (entry) => {
    if (entry === undefined) return undefined;
    const statement = context.connection.statement(`select json from ${documentTable(entry.n)} where id = ?`);
    const row = statement.get(id) as unknown as [unknown] | undefined;
    return row === undefined ? undefined : documentText(row[0]);
  });
}

/** Reads the first page in `_id` order, without a plan; undefined for every other query. */
function firstPage(run: Run, query: FindQuery): readonly string[] | undefined {
  const { filter, sort, skip, projection } = query;
  const isPlain = filter.kind === 'and' && filter.filters.length === 0 && sort.length === 0;
  if (!isPlain || skip > 0 || projection !== undefined) return undefined;
  const table = orderedTableFor(run.entry, ALL_BY_ID);
  return table === undefined
    ? undefined
    : readPage({ ...run, project: createResultProjector(undefined) }, table, query);
}

const ALL_BY_ID = { kind: 'id-scan', reversed: false, low: '', high: Buffer.from([0]) } as const;

type Run = Pick<CandidateSearch, 'connection' | 'entry' | 'workLimit'>;

function runPlan(run: Run, plan: Plan, query: FindQuery): readonly string[] {
  if (plan.fallback === undefined) return runWithoutFallback(run, plan, query);
  let examined = 0;
  const workLimit: WorkLimit = {
    tick(size) {
      run.workLimit.tick(size);
      examined += 1;
      if (examined > MAX_TRIAL_DOCUMENTS) throw new TrialLimitExceeded();
    },
  };
  try {
    return runWithoutFallback({ ...run, workLimit }, plan, query);
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
  const project = createResultProjector(projection);
  const texts: string[] = [];
  let skipped = 0;
  for (const [, json] of matches(run, plan, filter)) {
    if (skipped < skip) {
      skipped += 1;
      continue;
    }
    texts.push(project(json));
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
      yield { key: keyOf(document, run.workLimit), doc };
    }
  };
  const { connection, entry, workLimit } = run;
  const statement = connection.statement(`select json from ${documentTable(entry.n)} where doc = ?`);
  const project = createResultProjector(query.projection);
  return selectPage(matches, query).map((doc) => {
    const [text] = statement.get(doc) as unknown as [string];
    workLimit.tick(text.length);
    return project(text);
  });
}

export interface CountOptions {
  readonly filter: Filter;
  readonly workLimit: WorkLimit;
  /** Called before a plan runs. May throw to reject it. */
  readonly accept?: (plan: Plan, entry: CollectionEntry) => void;
}

/** Counts the documents that match. Throws what `workLimit` throws. */
export function countMatches(
  context: ReadContext,
  ns: Namespace,
  { filter, workLimit, accept }: CountOptions,
): number {
  return onSnapshot(context, ns, (entry) => {
    if (entry === undefined) return 0;
    const run = { connection: context.connection, entry, workLimit };
    // No index is sorted by a field without a name, so the planner chooses none for its order alone.
    const plan = planFor(context, entry, { filter, sort: [['', 1]] });
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
  { connection, workLimit }: Run,
  access: Extract<Plan['access'], { kind: 'index' }>,
): number {
  const name = indexTable(access.index.n, access.caseInsensitive);
  const statement = connection.statement(`select doc from ${name} where key >= ? and key < ?`);
  const docs = new Set<number>();
  for (const { low, high } of access.ranges) {
    for (const [doc] of statement.iterate(low, high) as unknown as Iterable<[number]>) {
      workLimit.tick(0);
      docs.add(doc);
    }
  }
  return docs.size;
}
