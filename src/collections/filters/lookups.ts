// Turns conditions on referenced documents into conditions on ids, by asking the referenced collections. What a filter
// means is what it would mean if those documents stood in the place of their ids.
import type { Filter, Test } from '../../stores/filter.ts';
import type { DocumentStore, OperationOptions } from '../../stores/ports.ts';
import { type Draft, isSettled, type Through } from './draft.ts';
import { refuseFilter } from './refusal.ts';

export interface LookupOptions extends OperationOptions {
  readonly store: Pick<DocumentStore, 'find'>;
  /** How many referenced documents all conditions of a filter together may match. */
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

async function settle(draft: Draft, progress: Progress): Promise<Filter> {
  if (isSettled(draft)) return draft;
  if (draft.kind === 'through') return lookUp(draft, progress);
  const filters: Filter[] = [];
  // One after the other: they share one allowance.
  for (const part of draft.drafts) filters.push(await settle(part, progress));
  return { kind: draft.group, filters };
}

async function lookUp(through: Through, progress: Progress): Promise<Filter> {
  const { path, draft, missing, inList } = through;
  const filter = await settle(draft, progress);
  const where = (...tests: Test[]): Filter => ({ kind: 'field', path, tests });
  const isList = where({ kind: 'type', names: ['array'] });
  const leads = where({ kind: 'in', values: await idsOf(through, filter, progress) });
  if (inList) return { kind: 'and', filters: [isList, leads] };
  if (!missing) return leads;
  // What leads elsewhere is told from what leads nowhere by the documents that do not match.
  const others = await idsOf(through, { kind: 'nor', filters: [filter] }, progress);
  const elsewhere: Filter = { kind: 'nor', filters: [isList, where({ kind: 'in', values: others })] };
  return { kind: 'or', filters: [leads, elsewhere] };
}

/** The ids of the documents of the target that match. */
async function idsOf({ path, target }: Through, filter: Filter, progress: Progress): Promise<string[]> {
  const { store, maxReferences, deadline } = progress;
  const query = { filter, sort: [], skip: 0, limit: progress.left + 1, projection: { include: ['_id'] } };
  const found = await store.find(target.namespace, query, deadline === undefined ? {} : { deadline });
  progress.left -= found.length;
  if (progress.left < 0) {
    throw refuseFilter(path, `The filter matches more than ${maxReferences} referenced documents`);
  }
  return found.map((document) => document._id);
}
