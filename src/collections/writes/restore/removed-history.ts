// What is left of a removed document: the `v` that it had last and the ids of its revisions, in the form in which a document holds
// them. `model/stored-document.ts` explains that form.
import { AppError } from '../../../errors/errors.ts';
import type { Json } from '../../../lib/json/json.ts';
import { documentVersion } from '../../../lib/json/stored-json.ts';
import type { StoredDocument } from '../../../stores/ports.ts';
import { permitServer } from '../../model/access.ts';
import type { Collection } from '../../model/collection.ts';
import type { RequestContext } from '../../model/documents.ts';
import { ownRevisionsFilter } from '../../model/revision-owner.ts';
import {
  HISTORY_BLOCK_SIZE,
  REVISION_MEMBERS,
  revisionBlock,
  revisionNamespaceOf,
  revisionsFilter,
} from '../../model/stored-document.ts';
import type { WriteDeps } from '../write-deps.ts';

/** Revisions that are looked through for the latest one with a block: there are at most two or three for each state. */
const MAX_LATEST = 5 * HISTORY_BLOCK_SIZE;

interface RemovedHistory {
  readonly v: number;
  readonly history: readonly Json[];
}

/** All revisions of one document. */
const revisionsOf = (collection: Collection, id: string, registry: WriteDeps['registry']) =>
  permitServer({ kind: 'and', filters: [revisionsFilter(id), ownRevisionsFilter(collection, registry)] });

/** Throws DOCUMENT_NOT_FOUND where there are no revisions. */
export async function readRemovedHistory(
  { store, registry }: Pick<WriteDeps, 'store' | 'registry'>,
  collection: Collection,
  id: string,
  { deadline }: RequestContext,
): Promise<RemovedHistory> {
  const filter = revisionsOf(collection, id, registry);
  const read = (direction: 1 | -1, limit: number) => {
    const projection = { include: ['v', 'history'] };
    const query = { filter, sort: [['v', direction]] as const, skip: 0, limit, projection };
    return store.find(revisionNamespaceOf(collection), query, { deadline });
  };
  const latest = (await read(-1, MAX_LATEST)).toReversed();
  const last = latest.at(-1);
  if (last === undefined) throw new AppError('DOCUMENT_NOT_FOUND');
  const v = documentVersion(last);
  const first = latest.length < MAX_LATEST ? latest : await read(1, HISTORY_BLOCK_SIZE);
  const kept = first.slice(0, HISTORY_BLOCK_SIZE).map(({ _id }) => _id);
  return { v, history: [...kept, ...idsSinceBlock(latest, kept)] };
}

/** The revision that keeps the last state of a removed document. Throws DOCUMENT_NOT_FOUND where there are no revisions. */
export async function readLastRevision(
  { store, registry }: Pick<WriteDeps, 'store' | 'registry'>,
  collection: Collection,
  id: string,
  { deadline }: RequestContext,
): Promise<StoredDocument> {
  const filter = revisionsOf(collection, id, registry);
  const query = { filter, sort: [['v', -1]] as const, skip: 0, limit: 1 };
  const [last] = await store.find(revisionNamespaceOf(collection), query, { deadline });
  if (last === undefined) throw new AppError('DOCUMENT_NOT_FOUND');
  return last;
}

/** The document in the state that a revision keeps, for the rules. */
export function documentOf(revision: StoredDocument, id: string): StoredDocument {
  const members = Object.entries(revision).filter(([name]) => !REVISION_MEMBERS.includes(name));
  return { ...Object.fromEntries(members), _id: id };
}

/** The ids from the latest revision with a block on: it leads to those before. Without one, all that are not among `kept`. */
function idsSinceBlock(latest: readonly StoredDocument[], kept: readonly Json[]): readonly Json[] {
  const at = latest.findLastIndex((revision) => revisionBlock(revision, kept[0]) !== undefined);
  const ids = latest.slice(Math.max(at, 0)).map(({ _id }) => _id);
  const known = new Set(kept);
  return ids.filter((id) => !known.has(id));
}
