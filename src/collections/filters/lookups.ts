// Turns conditions on referenced documents into conditions on ids, by asking the referenced collections. What a filter
// means is what it would mean if those documents stood in the place of their ids.
import type { Filter, Test } from '../../stores/filter.ts';
import type { DocumentStore, OperationOptions } from '../../stores/ports.ts';
import { type Draft, isSettled, joinDrafts, type Through } from './draft.ts';
import { refuseFilter } from './refusal.ts';

export interface LookupOptions extends OperationOptions {
  readonly store: Pick<DocumentStore, 'find'>;
  /** How many referenced documents all conditions of a filter together may bring in. */
  readonly maxReferences: number;
}

/** Settles every condition that goes through a reference, innermost first. A filter without any costs nothing. */
export function settleFilter(draft: Draft, options: LookupOptions): Filter | Promise<Filter> {
  return isSettled(draft) ? draft : settle(draft, { ...options, left: options.maxReferences });
}

interface Progress extends LookupOptions {
  /** Shared by the whole filter: how many more ids it may bring in. */
  left: number;
}

type Unsettled = Extract<Draft, { readonly kind: 'group' }>;

/** More ids than are left: they may be fewer when they are looked for another way. */
class TooMany extends Error {}

async function settle(draft: Draft, progress: Progress): Promise<Filter> {
  try {
    return await settlePart(draft, progress);
  } catch (error) {
    if (!(error instanceof TooMany)) throw error;
    const { maxReferences } = progress;
    throw refuseFilter(error.message, `The filter needs more than ${maxReferences} referenced documents`);
  }
}

async function settlePart(draft: Draft, progress: Progress): Promise<Filter> {
  if (isSettled(draft)) return draft;
  if (draft.kind === 'through') return lookUp(draft, progress);
  const { left } = progress;
  try {
    return await settleAll(draft, progress);
  } catch (error) {
    const joined = error instanceof TooMany ? joinLookUps(draft) : undefined;
    if (joined === undefined || (await holdsLists(joined.joint, progress))) throw error;
    progress.left = left;
    return settleAll({ ...draft, drafts: [joined.joint, ...joined.rest] }, progress);
  }
}

async function settleAll({ group, drafts }: Unsettled, progress: Progress): Promise<Filter> {
  const filters: Filter[] = [];
  // One after the other: they share one allowance.
  for (const part of drafts) filters.push(await settlePart(part, progress));
  return { kind: group, filters };
}

/**
 * One look-up in the place of all through the same reference: each side of a range may match most of a collection,
 * both together seldom do. Only the elements of a list may pass the one here and the other there.
 */
function joinLookUps({ group, drafts }: Unsettled): { joint: Through; rest: Draft[] } | undefined {
  const first = drafts.find((draft) => draft.kind === 'through' && !draft.inList);
  if (group !== 'and' || first?.kind !== 'through') return undefined;
  const isAlike = (draft: Draft): draft is Through =>
    draft.kind === 'through' && draft.path === first.path && !draft.inList;
  const alike = drafts.filter(isAlike);
  if (alike.length === 1) return undefined;
  const inner = alike.map(({ draft }) => draft);
  const joint = { ...first, draft: joinDrafts('and', inner), missing: alike.every(({ missing }) => missing) };
  return { joint, rest: drafts.filter((draft) => !isAlike(draft)) };
}

async function holdsLists({ source, path }: Through, progress: Progress): Promise<boolean> {
  const filter = isList(path);
  const query = { filter, sort: [], skip: 0, limit: 1, projection: { include: ['_id'] } };
  return (await find(source, query, progress)).length > 0;
}

async function lookUp(through: Through, progress: Progress): Promise<Filter> {
  const { path, draft, missing, inList } = through;
  const filter = await settlePart(draft, progress);
  const among = (values: readonly string[]) => where(path, { kind: 'in', values });
  const leads = among(await idsOf(through, filter, progress));
  if (inList) return { kind: 'and', filters: [isList(path), leads] };
  if (!missing) return leads;
  // What leads elsewhere is told from what leads nowhere by the documents that do not match.
  const others = await idsOf(through, { kind: 'nor', filters: [filter] }, progress);
  return { kind: 'or', filters: [leads, { kind: 'nor', filters: [isList(path), among(others)] }] };
}

/** The ids of the documents of the target that match. */
async function idsOf({ path, target }: Through, filter: Filter, progress: Progress): Promise<string[]> {
  const query = { filter, sort: [], skip: 0, limit: progress.left + 1, projection: { include: ['_id'] } };
  const found = await find(target, query, progress);
  if (found.length > progress.left) throw new TooMany(path);
  progress.left -= found.length;
  return found.map((document) => document._id);
}

function find(
  { namespace }: Through['target'],
  query: Parameters<DocumentStore['find']>[1],
  { store, deadline }: Progress,
) {
  return store.find(namespace, query, deadline === undefined ? {} : { deadline });
}

const where = (path: string, ...tests: Test[]): Filter => ({ kind: 'field', path, tests });
const isList = (path: string): Filter => where(path, { kind: 'type', names: ['array'] });
