// The documents that an update or a removal is for: how they are named, read, and kept from other writes meanwhile.
import { AppError, StoreError } from '../../errors/errors.ts';
import { type MaybePromise, mapYielding } from '../../lib/async/maybe-promise.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { documentVersion, parseStoredJson } from '../../lib/json/stored-json.ts';
import { filterById, joinFilters, MATCH_ALL } from '../../stores/filter.ts';
import { namespaceKey, type Projection, type StoredDocument } from '../../stores/ports.ts';
import { type HookPoint, hasHooks } from '../hooks/document-hooks.ts';
import { type CollectionAccess, type PermittedFilter, permitServer } from '../model/access.ts';
import { type Collection, documentKey } from '../model/collection.ts';
import type { RequestContext, WriteOptions } from '../model/documents.ts';
import { assertPermittedTarget, createReadTest, presentAccess } from './permitted-states.ts';
import type { WriteDeps } from './write-deps.ts';

/** The document with this id, or all documents that the query matches. */
export type WriteTarget =
  | ({ readonly id: string } & Pick<WriteOptions, 'ifMatch'>)
  | { readonly query: JsonObject };

interface TargetOptions {
  readonly collection: Collection;
  readonly target: WriteTarget;
  readonly action: 'update' | 'delete';
  /** Fields to read; all unless given, as they must be where a rule looks at them. */
  readonly projection?: Projection | undefined;
}

type TargetDeps = Pick<WriteDeps, 'store' | 'registry' | 'filters' | 'limits'>;

/**
 * Resolves with the documents of a target. By id, throws DOCUMENT_NOT_FOUND, NOT_PERMITTED, or PRECONDITION_FAILED where `ifMatch`
 * rejects the state of the document. By query, throws FILTER_INVALID, or WRITE_TOO_LARGE where too many documents match.
 */
export async function loadTargets(
  deps: TargetDeps,
  { collection, target, action, projection }: TargetOptions,
  context: RequestContext,
): Promise<readonly StoredDocument[]> {
  if ('query' in target) {
    const filter = await deps.filters.compile(collection, target.query as Json, context, action);
    return loadMatches(deps, { collection, filter, projection }, context);
  }
  const filter = permitServer(joinFilters([filterById(target.id), deps.filters.ownDocuments(collection)]));
  const [text] = await findTexts(deps, { collection, filter, limit: 1, projection }, context);
  if (text === undefined) throw new AppError('DOCUMENT_NOT_FOUND');
  const document = parseStoredJson<StoredDocument>(text);
  // Before the precondition: of a document that the caller may not read there is no state to be told of.
  const { caller } = context;
  const access = presentAccess(deps, caller, collection);
  // Rules that have come meanwhile look at whole documents.
  if (projection !== undefined && !needsNoState(access, { action, target })) throw new StoreError('conflict');
  assertPermittedTarget(access, action, { caller, stored: document });
  // Who may write the document and not read it cannot know a state of it: none that they name is the one that it is in.
  const v = target.ifMatch && createReadTest(access)(document) ? documentVersion(document) : Number.NaN;
  if (target.ifMatch?.(v) === false) throw new AppError('PRECONDITION_FAILED');
  return [document];
}

/** True where no rule looks at the documents of a target, neither for the action nor for a precondition. */
export function needsNoState(
  access: CollectionAccess,
  { action, target }: Pick<TargetOptions, 'action' | 'target'>,
): boolean {
  if (access[action] !== MATCH_ALL) return false;
  return !('id' in target) || target.ifMatch === undefined || access.findable === MATCH_ALL;
}

interface Find extends Pick<TargetOptions, 'collection' | 'projection'> {
  readonly filter: PermittedFilter;
}

async function loadMatches(
  { store, limits }: TargetDeps,
  { collection, filter, projection }: Find,
  context: RequestContext,
): Promise<readonly StoredDocument[]> {
  const limit = Math.min(limits.writeMatches, context.maxMatches ?? limits.writeMatches);
  const query = { collection, filter, limit: limit + 1, projection };
  const texts = await findTexts({ store }, query, context);
  if (texts.length <= limit) return mapYielding(texts, parseStoredJson<StoredDocument>);
  const matches = await store.count(collection.namespace, filter, { deadline: context.deadline });
  const message = `The query matches ${matches} documents, more than the ${limit} that one write may have`;
  throw new AppError('WRITE_TOO_LARGE', { field: 'query', message });
}

function findTexts(
  { store }: Pick<TargetDeps, 'store'>,
  { collection, filter, limit, projection }: Find & { readonly limit: number },
  { deadline }: RequestContext,
): MaybePromise<readonly string[]> {
  const query = { filter, sort: [], skip: 0, limit, ...(projection && { projection }) };
  return store.findText(collection.namespace, query, { deadline });
}

/**
 * Runs a write by query whose hooks may write its documents after the others of its collection: any two that ran at once would
 * keep on running their hooks again for what those of the other wrote.
 */
export function withHookedQueryLock<T>(
  { locks }: Pick<WriteDeps, 'locks'>,
  { collection, event }: HookPoint,
  { callDepth: depth = 0 }: Pick<RequestContext, 'callDepth'>,
  task: () => Promise<T>,
): Promise<T> {
  if (depth > 0 || !hasHooks({ collection, event })) return task();
  return locks.withLock(`${namespaceKey(collection.namespace)}/?`, task);
}

/**
 * Runs a write of one document after the earlier ones. A write that posted code asks for does not wait: its hook may belong
 * to the write that holds the lock. Should they meet, the later commit is a conflict and retried.
 */
export function withDocumentLock<T>(
  { locks }: Pick<WriteDeps, 'locks'>,
  { collection, id }: { readonly collection: Pick<Collection, 'namespace'>; readonly id: string },
  { callDepth: depth = 0 }: Pick<RequestContext, 'callDepth'>,
  task: () => Promise<T>,
): Promise<T> {
  return depth > 0 ? task() : locks.withLock(documentKey(collection.namespace, id), task);
}
