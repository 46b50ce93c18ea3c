// Removing documents, one by its id or all that a query matches. Their last states stay behind as revisions.
import type { KeyedQueue } from '../../lib/keyed-queue.ts';
import { mapInSlices } from '../../lib/slices.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import type { Collection } from '../collection.ts';
import type { Context, DocumentService, RemoveOptions, RemoveResult } from '../documents.ts';
import { beginHooks, type HookTools, hasHooks } from '../hook-session.ts';
import { documentKey, type Registry } from '../registry.ts';
import type { Affected } from './affected.ts';
import type { FileRemovals } from './file-removals.ts';
import { forAnswer } from './for-answer.ts';
import { insertOf, type RemovalEntry } from './removal-entries.ts';
import { inTurn } from './turns.ts';
import { guardBody, readQuery } from './write-body.ts';
import { retryConflicts } from './write-failure.ts';
import type { Writer } from './writer.ts';

interface RemovingOptions extends HookTools {
  readonly writer: Writer;
  readonly affected: Affected;
  readonly turns: KeyedQueue;
  readonly registry: Pick<Registry, 'holdsRecords'>;
  /** Removes the files of records. Undefined: they stay. */
  readonly removals: Pick<FileRemovals, 'entriesFor' | 'begin'> | undefined;
}

type Removing = Pick<DocumentService, 'removeById' | 'removeByQuery'>;

interface Removal extends Pick<RemoveOptions, 'counts'> {
  readonly collection: Collection;
  readonly find: (context: Context) => Promise<readonly StoredDocument[]>;
}

const NOTHING: readonly never[] = [];

/** What to read of documents that are to go: only revisions and hooks need the whole state, and files need their paths. */
function reading(collection: Collection, registry: Pick<Registry, 'holdsRecords'>) {
  const shown =
    hasHooks({ event: 'beforeDelete', collection }) || hasHooks({ event: 'afterDelete', collection });
  const include = registry.holdsRecords(collection) ? ['v', 'path'] : ['v'];
  return shown || collection.settings.storeRevisions ? {} : { projection: { include } };
}

function createRemove(options: RemovingOptions) {
  const { writer, affected, now, registry, removals } = options;

  /** What is to be done about the files of the documents, if they are records. */
  const filesOf = (collection: Collection, documents: readonly StoredDocument[]): readonly RemovalEntry[] =>
    registry.holdsRecords(collection)
      ? (removals?.entriesFor(collection.namespace, documents) ?? NOTHING)
      : NOTHING;

  const removeWith = async (
    commit: Writer['commit'],
    { collection, find, counts = false }: Removal,
    context: Context,
  ): Promise<RemoveResult> => {
    const { planned } = await commit(
      [],
      async (plan) => {
        const documents = await find(context);
        await mapInSlices(documents, (stored) => plan.remove(collection, stored));
        const entries = filesOf(collection, documents);
        for (const entry of entries) plan.beside(insertOf(entry), { prefix: '' });
        return { planned: { deleted: documents.length, entries }, items: [] };
      },
      context,
    );
    await removals?.begin(planned.entries);
    const { deleted } = planned;
    const count = (later: Context) => affected.left(collection, later);
    return { deleted, totalCount: counts ? await forAnswer(count, { context, now }) : undefined };
  };

  /** Each attempt shows the hooks the documents that it is about to remove. */
  const hooked = async ({ collection, find, counts }: Removal, asked: Context) => {
    using session = beginHooks(options, asked);
    const { context } = session;
    const attempt = async () => {
      const stored = await find(context);
      const texts = await mapInSlices(stored, (document) => JSON.stringify(document));
      await session.showEach({ event: 'beforeDelete', collection }, texts);
      return removeWith(writer.commitOnce, { collection, find: async () => stored, counts }, context);
    };
    return await retryConflicts(attempt, { context, now });
  };

  return (removal: Removal, context: Context): Promise<RemoveResult> =>
    hasHooks({ event: 'beforeDelete', collection: removal.collection })
      ? hooked(removal, context)
      : removeWith(writer.commit, removal, context);
}

export function createRemoving(options: RemovingOptions): Removing {
  const { affected, turns, registry } = options;
  const remove = createRemove(options);
  return {
    removeById(collection, id, context, { ifMatch, counts }) {
      const find = async (now: Context) => [
        await affected.one({ collection, id }, now, { ifMatch, ...reading(collection, registry) }),
      ];
      const key = documentKey(collection.namespace, id);
      return inTurn(turns, key, context, () => remove({ collection, find, counts }, context));
    },

    async removeByQuery(collection, body, context, { counts }) {
      await guardBody(body);
      const query = readQuery(body);
      const find = (now: Context) =>
        affected.matching({ collection, query }, now, reading(collection, registry));
      return remove({ collection, find, counts }, context);
    },
  };
}
