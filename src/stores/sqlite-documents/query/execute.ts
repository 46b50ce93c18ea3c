// Runs a query on one connection: plan, then read a page, filter and sort as the plan requires. The main thread runs it with
// a small work limit, the reader threads with a deadline.

import { StoreError } from '../../../errors/errors.ts';
import { joinTexts, type Separator } from '../../../lib/chunked-text.ts';
import type { Filter } from '../../filter.ts';
import { createPredicate } from '../../matching/filter-predicate.ts';
import { createProjector } from '../../matching/projector.ts';
import type { FindQuery, Namespace, Projection, Sort, TextPage } from '../../ports.ts';
import {
  type CollectionEntry,
  type DataFile,
  documentTable,
  indexTable,
  onSnapshot,
} from '../data-file/catalogue.ts';
import { documentText, parseDocument, type WorkLimit } from '../data-file/connection.ts';
import { createSortKey } from '../indexes/index-keys.ts';
import {
  type Candidate,
  type CandidateSearch,
  createTextReader,
  findCandidates,
  type TextReader,
} from './fetch-documents.ts';
import { countRows, isShort, readJoinedPage, readPage } from './ordered-table.ts';
import { type Match, selectPage } from './page-selection.ts';
import { createPlanner, type Plan, type PlannedQuery, type Planner } from './plan.ts';

/** A plan with a fallback may examine this many documents before the fallback takes over. */
const MAX_TRIAL_DOCUMENTS = 20_000;

class TrialLimitExceeded extends Error {}

/** Longest result of one query, in UTF-16 units. A page may have few documents and still be too large for memory. */
const MAX_RESULT_TEXT = 64 * 1024 * 1024;

/** Creates the function that turns stored texts into results. It throws `too-much` past the limit, `damaged` for other texts. */
export function createBoundedProjector(projection: Projection | undefined): (text: string) => string {
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

/** What a query needs of one connection. */
export interface QueryContext extends TextReader {
  readonly planner: Planner;
}

/** Creates the context of one connection. */
export function createQueryContext(file: DataFile): QueryContext {
  return { ...createTextReader(file), planner: createPlanner(file.connection) };
}

export interface RunOptions {
  readonly workLimit: WorkLimit;
  /** Called before a plan runs. May throw to reject it. */
  readonly accept?: (plan: Plan, entry: CollectionEntry) => void;
}

export interface PageRunOptions extends RunOptions {
  /** Between the documents. */
  readonly separator: Separator;
}

/** The texts of the documents that match `query`, in its order. Throws what `workLimit` throws. */
export function textsOfQuery(
  context: QueryContext,
  ns: Namespace,
  query: FindQuery,
  options: RunOptions,
): readonly string[] {
  const texts = onPage(context, ns, query, (entry) => {
    const planned = context.planner(entry, query, options.workLimit);
    options.accept?.(planned.plan, entry);
    const run = { connection: context.connection, entry, workLimit: options.workLimit };
    return runPlanned(run, planned, query);
  });
  return texts ?? [];
}

/** The same documents as one text. */
export function pageOfQuery(
  context: QueryContext,
  ns: Namespace,
  query: FindQuery,
  options: PageRunOptions,
): TextPage {
  const page = onPage(context, ns, query, (entry) => {
    const planned = context.planner(entry, query, options.workLimit);
    const { plan, table } = planned;
    options.accept?.(plan, entry);
    const run = { connection: context.connection, entry, workLimit: options.workLimit };
    const isJoinable = plan.sorted && query.projection === undefined && isShort(entry, query.limit);
    if (table === undefined || !isJoinable)
      return joinTexts(runPlanned(run, planned, query), options.separator);
    return readJoinedPage(run, table, query, options.separator);
  });
  return page ?? EMPTY_PAGE;
}

export const EMPTY_PAGE: TextPage = { text: '', count: 0 };

/** Runs `work` unless the page is certain to be empty. */
function onPage<T>(
  context: QueryContext,
  ns: Namespace,
  { skip, limit, sort }: FindQuery,
  work: (entry: CollectionEntry) => T,
): T | undefined {
  if (limit <= 0) return undefined;
  // Documents that cannot be sorted by two paths at once are refused on every page, also on those behind the last one.
  const mayReject = sort.length > 1;
  return onSnapshot(context, ns, (entry) => {
    const isEmpty = entry === undefined || entry.documents === 0 || (skip >= entry.documents && !mayReject);
    return isEmpty ? undefined : work(entry);
  });
}

type Run = Pick<CandidateSearch, 'connection' | 'entry' | 'workLimit'>;

function runPlanned(run: Run, { plan, table }: PlannedQuery, query: FindQuery): readonly string[] {
  if (!plan.sorted || table === undefined) return runPlan(run, plan, query);
  return readPage({ ...run, project: createBoundedProjector(query.projection) }, table, query);
}

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
  return plan.sorted ? findInOrder(run, plan, query) : findAndSort(run, plan, query);
}

function* matches(run: Run, plan: Plan, filter: Filter): Iterable<Candidate> {
  const found = findCandidates({ ...run, filter }, plan.access);
  if (plan.exact) {
    yield* found;
    return;
  }
  const test = createPredicate(filter);
  for (const candidate of found) {
    if (test(parseDocument(candidate[1]))) yield candidate;
  }
}

function findInOrder(run: Run, plan: Plan, { filter, skip, limit, projection }: FindQuery): string[] {
  const project = createBoundedProjector(projection);
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
  const test = plan.exact ? undefined : createPredicate(query.filter);
  const matches = function* (): Iterable<Match> {
    for (const [doc, json] of findCandidates({ ...run, filter: query.filter }, plan.access)) {
      const document = parseDocument(json);
      if (test !== undefined && !test(document)) continue;
      yield { key: keyOf(document, run.workLimit), doc };
    }
  };
  const { connection, entry, workLimit } = run;
  const statement = connection.statement(`select json from ${documentTable(entry.n)} where doc = ?`);
  const project = createBoundedProjector(query.projection);
  return selectPage(matches, query).map((doc) => {
    const [text] = statement.get(doc) as unknown as [string];
    workLimit.tick(text.length);
    return project(text);
  });
}

/** No index is sorted by a field without a name, so the planner chooses none for its order alone. */
const ANY_ORDER: Sort = [['', 1]];

/** Counts the documents that match. Throws what `workLimit` throws. */
export function countMatches(
  context: QueryContext,
  ns: Namespace,
  filter: Filter,
  { workLimit, accept }: RunOptions,
): number {
  return onSnapshot(context, ns, (entry) => {
    if (entry === undefined) return 0;
    const { connection, planner } = context;
    const { plan, table } = planner(entry, { filter, sort: ANY_ORDER }, workLimit);
    const { access } = plan;
    if (plan.exact && access.kind === 'scan') return entry.documents;
    accept?.(plan, entry);
    const run = { connection, entry, workLimit };
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
  const name = indexTable(access.index.n);
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
