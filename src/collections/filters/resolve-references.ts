// Turns conditions on referenced documents into conditions on ids, by asking the referenced collections. What a filter
// means is what it would mean if those documents stood in the place of their ids.
import type { Filter, FilterTest } from '../../stores/filter.ts';
import type { DocumentStore, OperationOptions } from '../../stores/ports.ts';
import { createFilterError } from './filter-error.ts';
import {
  isResolved,
  joinParsedFilters,
  type ParsedFilter,
  type ReferenceCondition,
} from './parsed-filter.ts';

export interface ResolveOptions extends OperationOptions {
  readonly store: Pick<DocumentStore, 'find'>;
  /** How many referenced documents all conditions of a filter together may bring in. */
  readonly maxReferences: number;
}

/** Settles every condition that goes through a reference, innermost first. A filter without any costs nothing. */
export function resolveReferences(draft: ParsedFilter, options: ResolveOptions): Filter | Promise<Filter> {
  return isResolved(draft)
    ? draft
    : resolveWithinLimit(draft, { ...options, remaining: options.maxReferences });
}

interface ResolveState extends ResolveOptions {
  /** Shared by the whole filter: how many more ids it may bring in. */
  remaining: number;
}

type UnresolvedGroup = Extract<ParsedFilter, { readonly kind: 'group' }>;

/** More ids than are left: they may be fewer when they are looked for another way. */
class TooManyReferencesError extends Error {}

async function resolveWithinLimit(draft: ParsedFilter, progress: ResolveState): Promise<Filter> {
  try {
    return await resolvePart(draft, progress);
  } catch (error) {
    if (!(error instanceof TooManyReferencesError)) throw error;
    const { maxReferences } = progress;
    throw createFilterError(
      error.message,
      `The filter needs more than ${maxReferences} referenced documents`,
    );
  }
}

async function resolvePart(draft: ParsedFilter, progress: ResolveState): Promise<Filter> {
  if (isResolved(draft)) return draft;
  if (draft.kind === 'through') return resolveReference(draft, progress);
  const { remaining: left } = progress;
  try {
    return await resolveGroup(draft, progress);
  } catch (error) {
    const joined = error instanceof TooManyReferencesError ? mergeLookups(draft) : undefined;
    if (joined === undefined || (await hasListValues(joined.joint, progress))) throw error;
    progress.remaining = left;
    return resolveGroup({ ...draft, drafts: [joined.joint, ...joined.rest] }, progress);
  }
}

async function resolveGroup({ group, drafts }: UnresolvedGroup, progress: ResolveState): Promise<Filter> {
  const filters: Filter[] = [];
  // One after the other: they share one allowance.
  for (const part of drafts) filters.push(await resolvePart(part, progress));
  return { kind: group, filters };
}

/**
 * One look-up in the place of all through the same reference: each side of a range may match most of a collection,
 * both together seldom do. Only the elements of a list may pass the one here and the other there.
 */
function mergeLookups({
  group,
  drafts,
}: UnresolvedGroup): { joint: ReferenceCondition; rest: ParsedFilter[] } | undefined {
  const first = drafts.find((draft) => draft.kind === 'through' && !draft.elementsOnly);
  if (group !== 'and' || first?.kind !== 'through') return undefined;
  const isAlike = (draft: ParsedFilter): draft is ReferenceCondition =>
    draft.kind === 'through' && draft.path === first.path && !draft.elementsOnly;
  const alike = drafts.filter(isAlike);
  if (alike.length === 1) return undefined;
  const inner = alike.map(({ filter: draft }) => draft);
  const joint = {
    ...first,
    draft: joinParsedFilters('and', inner),
    missing: alike.every(({ matchesMissing: missing }) => missing),
  };
  return { joint, rest: drafts.filter((draft) => !isAlike(draft)) };
}

async function hasListValues({ source, path }: ReferenceCondition, progress: ResolveState): Promise<boolean> {
  const filter = isList(path);
  const query = { filter, sort: [], skip: 0, limit: 1, projection: { include: ['_id'] } };
  return (await find(source, query, progress)).length > 0;
}

async function resolveReference(through: ReferenceCondition, progress: ResolveState): Promise<Filter> {
  const { path, filter: draft, matchesMissing: missing, elementsOnly: inList } = through;
  const filter = await resolvePart(draft, progress);
  const among = (values: readonly string[]) => where(path, { kind: 'in', values });
  const leads = among(await findMatchingIds(through, filter, progress));
  if (inList) return { kind: 'and', filters: [isList(path), leads] };
  if (!missing) return leads;
  // What leads elsewhere is told from what leads nowhere by the documents that do not match.
  const others = await findMatchingIds(through, { kind: 'nor', filters: [filter] }, progress);
  return { kind: 'or', filters: [leads, { kind: 'nor', filters: [isList(path), among(others)] }] };
}

/** The ids of the documents of the target that match. */
async function findMatchingIds(
  { path, target }: ReferenceCondition,
  filter: Filter,
  progress: ResolveState,
): Promise<string[]> {
  const query = {
    filter,
    sort: [],
    skip: 0,
    limit: progress.remaining + 1,
    projection: { include: ['_id'] },
  };
  const found = await find(target, query, progress);
  if (found.length > progress.remaining) throw new TooManyReferencesError(path);
  progress.remaining -= found.length;
  return found.map((document) => document._id);
}

function find(
  { namespace }: ReferenceCondition['target'],
  query: Parameters<DocumentStore['find']>[1],
  { store, deadline }: ResolveState,
) {
  return store.find(namespace, query, deadline === undefined ? {} : { deadline });
}

const where = (path: string, ...tests: FilterTest[]): Filter => ({ kind: 'field', path, tests });
const isList = (path: string): Filter => where(path, { kind: 'type', names: ['array'] });
