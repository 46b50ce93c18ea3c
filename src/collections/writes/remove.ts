// Removing documents, one by its id or all that a query matches. Their last states stay behind as revisions.
import type { KeyedMutex } from '../../lib/async/keyed-mutex.ts';
import { mapYielding } from '../../lib/async/yielding.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import { type HookDeps, hasHooks, openHookSession } from '../hooks/hook-session.ts';
import type { Collection } from '../model/collection.ts';
import type { DocumentService, RemoveOptions, RemoveResult, RequestContext } from '../model/documents.ts';
import { documentKey, type Registry } from '../model/registry.ts';
import { withAnswerDeadline } from './answer.ts';
import { commitWithRetry } from './commit-errors.ts';
import { withDocumentLock } from './document-lock.ts';
import type { FileRemovals } from './file-removals/file-removals.ts';
import { insertEntry, type RemovalEntry } from './file-removals/removal-entries.ts';
import type { WriteTargets } from './load-targets.ts';
import type { Writer } from './prepare.ts';
import { assertStorable, parseQuery } from './request-body.ts';

interface RemoveDeps extends HookDeps {
  readonly writer: Writer;
  readonly affected: WriteTargets;
  readonly turns: KeyedMutex;
  readonly registry: Pick<Registry, 'holdsRecords'>;
  /** Removes the files of records. Undefined: they stay. */
  readonly removals: Pick<FileRemovals, 'entriesFor' | 'begin'> | undefined;
}

type Removing = Pick<DocumentService, 'removeById' | 'removeByQuery'>;

interface Removal extends Pick<RemoveOptions, 'counts'> {
  readonly collection: Collection;
  readonly find: (context: RequestContext) => Promise<readonly StoredDocument[]>;
}

const NOTHING: readonly never[] = [];

/** What to read of documents that are to go: only revisions and hooks need the whole state, and files need their paths. */
function readOptions(collection: Collection, registry: Pick<Registry, 'holdsRecords'>) {
  const shown =
    hasHooks({ event: 'beforeDelete', collection }) || hasHooks({ event: 'afterDelete', collection });
  const include = registry.holdsRecords(collection) ? ['v', 'path'] : ['v'];
  return shown || collection.settings.storeRevisions ? {} : { projection: { include } };
}

function createRemove(options: RemoveDeps) {
  const { writer, affected, now, registry, removals } = options;

  /** What is to be done about the files of the documents, if they are records. */
  const filesOf = (collection: Collection, documents: readonly StoredDocument[]): readonly RemovalEntry[] =>
    registry.holdsRecords(collection)
      ? (removals?.entriesFor(collection.namespace, documents) ?? NOTHING)
      : NOTHING;

  const removeWith = async (
    commit: Writer['commit'],
    { collection, find, counts = false }: Removal,
    context: RequestContext,
  ): Promise<RemoveResult> => {
    const { planned } = await commit(
      [],
      async (plan) => {
        const documents = await find(context);
        await mapYielding(documents, (stored) => plan.remove(collection, stored));
        const entries = filesOf(collection, documents);
        for (const entry of entries) plan.addExtra(insertEntry(entry), { prefix: '' });
        return { planned: { deleted: documents.length, entries }, items: [] };
      },
      context,
    );
    await removals?.begin(planned.entries);
    const { deleted } = planned;
    const count = (later: RequestContext) => affected.left(collection, later);
    return { deleted, totalCount: counts ? await withAnswerDeadline(count, { context, now }) : undefined };
  };

  /** Each attempt shows the hooks the documents that it is about to remove. */
  const hooked = async ({ collection, find, counts }: Removal, asked: RequestContext) => {
    using session = openHookSession(options, asked);
    const { context } = session;
    const attempt = async () => {
      const stored = await find(context);
      const texts = await mapYielding(stored, (document) => JSON.stringify(document));
      await session.runEach({ event: 'beforeDelete', collection }, texts);
      return removeWith(writer.commitOnce, { collection, find: async () => stored, counts }, context);
    };
    return await commitWithRetry(attempt, { context, now });
  };

  return (removal: Removal, context: RequestContext): Promise<RemoveResult> =>
    hasHooks({ event: 'beforeDelete', collection: removal.collection })
      ? hooked(removal, context)
      : removeWith(writer.commit, removal, context);
}

export function createRemovals(options: RemoveDeps): Removing {
  const { affected, turns, registry } = options;
  const remove = createRemove(options);
  return {
    removeById(collection, id, context, { ifMatch, counts }) {
      const find = async (now: RequestContext) => [
        await affected.one({ collection, id }, now, { ifMatch, ...readOptions(collection, registry) }),
      ];
      const key = documentKey(collection.namespace, id);
      return withDocumentLock(turns, key, context, () => remove({ collection, find, counts }, context));
    },

    async removeByQuery(collection, body, context, { counts }) {
      await assertStorable(body);
      const query = parseQuery(body);
      const find = (now: RequestContext) =>
        affected.matching({ collection, query }, now, readOptions(collection, registry));
      return remove({ collection, find, counts }, context);
    },
  };
}
