// Removes documents, one by its id or all that a query matches. Revisions keep their last states, and the files of media
// records go after the commit.
import { StoreError } from '../../errors/errors.ts';
import { mapYielding } from '../../lib/async/maybe-promise.ts';
import type { Json } from '../../lib/json/json.ts';
import type { Projection } from '../../stores/ports.ts';
import { openHookSession } from '../hooks/document-hooks.ts';
import { permit } from '../model/access.ts';
import type { Collection } from '../model/collection.ts';
import type { RemoveOptions, RemoveResult, RequestContext } from '../model/documents.ts';
import { tryAfterCommit } from './answer.ts';
import { commitPlan, commitWithRetry, followHookWrites } from './commit.ts';
import { insertEntry } from './file-removals/removal-entries.ts';
import { presentAccess } from './permitted-states.ts';
import { hasCondition, requireQuery } from './request-body.ts';
import {
  loadTargets,
  needsNoState,
  type WriteTarget,
  withDocumentLock,
  withHookedQueryLock,
} from './targets.ts';
import type { WriteDeps } from './write-deps.ts';
import { WritePlan } from './write-plan.ts';

interface Removal extends Pick<RemoveOptions, 'countRemaining'> {
  readonly collection: Collection;
  readonly target: WriteTarget;
}

/** See `DocumentService.removeById`. */
export function removeById(
  deps: WriteDeps,
  collection: Collection,
  id: string,
  context: RequestContext,
  { ifMatch, countRemaining }: RemoveOptions,
): Promise<RemoveResult> {
  const target = { id, ifMatch };
  return withDocumentLock(deps, { collection, id }, context, () =>
    remove(deps, { collection, target, countRemaining }, context),
  );
}

/** See `DocumentService.removeByQuery`. Logs a warning when the query has no condition. */
export async function removeByQuery(
  deps: WriteDeps,
  collection: Collection,
  body: Json,
  context: RequestContext,
  { countRemaining }: Pick<RemoveOptions, 'countRemaining'>,
): Promise<RemoveResult> {
  const query = requireQuery(body);
  const removal = { collection, target: { query }, countRemaining };
  const result = await withHookedQueryLock(deps, { collection, event: 'beforeDelete' }, context, () =>
    remove(deps, removal, context),
  );
  if (!hasCondition(query)) {
    const fields = { ...requester(context), path: collection.path, deleted: result.deleted };
    deps.log.warn(fields, 'every document of a collection was deleted');
  }
  return result;
}

/** Before-hooks, plan, commit and answer of a removal, in this order. */
async function remove(
  deps: WriteDeps,
  { collection, target, countRemaining = false }: Removal,
  request: RequestContext,
): Promise<RemoveResult> {
  const { store, registry, removals, now } = deps;
  using hooks = collection.settings.hooks?.beforeDelete && openHookSession(deps, request);
  const context = hooks?.context ?? request;
  const isMedia = removals !== undefined && registry.holdsRecords(collection);
  const mayRemoveAll = () =>
    needsNoState(presentAccess(deps, context.caller, collection), { action: 'delete', target });

  const { deleted, entries } = await commitWithRetry(
    async () => {
      const projection = mayRemoveAll()
        ? neededFields(collection, registry.holdsRecords(collection))
        : undefined;
      const loaded = await loadTargets(deps, { collection, target, action: 'delete', projection }, context);
      // Each attempt shows the hooks the documents that it removes.
      const texts = hooks ? await mapYielding(loaded, (one) => JSON.stringify(one)) : [];
      await hooks?.runEach({ event: 'beforeDelete', collection }, texts);
      const { documents } = await followHookWrites(deps, collection, loaded, context);
      const plan = new WritePlan({ at: now(), by: context.caller.clientId }, deps.generateId);
      await mapYielding(documents, (stored) => plan.remove(collection, stored));
      const files = isMedia ? removals.createEntries(collection.namespace, documents) : [];
      for (const entry of files) plan.addExtra(insertEntry(entry));
      // Rules that have come meanwhile look at whole documents.
      if (projection !== undefined && !mayRemoveAll()) throw new StoreError('conflict');
      if (documents.length > 0) await commitPlan(deps, plan, context);
      // What hooks have removed themselves is as gone as the others.
      return { deleted: loaded.length, entries: files };
    },
    { context, now, isHooked: hooks !== undefined, hooked: hooks && collection },
  );

  await removals?.removeNow(entries);
  if (!countRemaining) return { deleted, totalCount: undefined };
  const count = async ({ caller, deadline }: RequestContext) => {
    const own = permit(caller.access(collection), 'read', deps.filters.ownDocuments(collection));
    return store.count(collection.namespace, own, { deadline });
  };
  return { deleted, totalCount: await tryAfterCommit(count, { context, now }) };
}

/** Fields to read of the documents where no rule looks at them: revisions and hooks need all of them, the files of records their paths. */
function neededFields(collection: Collection, isMedia: boolean): Projection | undefined {
  const { hooks, storeRevisions } = collection.settings;
  if (hooks?.beforeDelete || hooks?.afterDelete || storeRevisions) return undefined;
  return { include: isMedia ? ['v', 'path'] : ['v'] };
}

/** Log fields of the client or the module that asks. */
function requester({ caller, origin }: RequestContext) {
  const { requestId, module } = origin ?? {};
  return module === undefined ? { requestId, by: caller.clientId } : { requestId, module };
}
