// Removing documents, one by its id or all that a query matches. Their last states stay behind as revisions.
import type { KeyedQueue } from '../../lib/keyed-queue.ts';
import { mapInSlices } from '../../lib/slices.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import type { Collection } from '../collection.ts';
import type { Context, DocumentService, RemoveOptions, RemoveResult } from '../documents.ts';
import { beginHooks, type HookTools, hasHooks } from '../hook-session.ts';
import { documentKey } from '../registry.ts';
import type { Affected } from './affected.ts';
import { forAnswer } from './for-answer.ts';
import { inTurn } from './turns.ts';
import { guardBody, readQuery } from './write-body.ts';
import { retryConflicts } from './write-failure.ts';
import type { Writer } from './writer.ts';

interface RemovingOptions extends HookTools {
  readonly writer: Writer;
  readonly affected: Affected;
  readonly turns: KeyedQueue;
}

type Removing = Pick<DocumentService, 'removeById' | 'removeByQuery'>;

interface Removal extends Pick<RemoveOptions, 'counts'> {
  readonly collection: Collection;
  readonly find: (context: Context) => Promise<readonly StoredDocument[]>;
}

/** What to read of documents that are to go: only revisions and hooks need the whole state. */
function reading(collection: Collection) {
  const shown =
    hasHooks({ event: 'beforeDelete', collection }) || hasHooks({ event: 'afterDelete', collection });
  return shown || collection.settings.storeRevisions ? {} : { projection: { include: ['v'] } };
}

function createRemove(options: RemovingOptions) {
  const { writer, affected, now } = options;

  const removeWith = async (
    commit: Writer['commit'],
    { collection, find, counts = false }: Removal,
    context: Context,
  ): Promise<RemoveResult> => {
    const { planned: deleted } = await commit(
      [],
      async (plan) => {
        const documents = await find(context);
        await mapInSlices(documents, (stored) => plan.remove(collection, stored));
        return { planned: documents.length, items: [] };
      },
      context,
    );
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
  const { affected, turns } = options;
  const remove = createRemove(options);
  return {
    removeById(collection, id, context, { ifMatch, counts }) {
      const find = async (now: Context) => [
        await affected.one({ collection, id }, now, { ifMatch, ...reading(collection) }),
      ];
      const key = documentKey(collection.namespace, id);
      return inTurn(turns, key, context, () => remove({ collection, find, counts }, context));
    },

    async removeByQuery(collection, body, context, { counts }) {
      await guardBody(body);
      const query = readQuery(body);
      const find = (now: Context) => affected.matching({ collection, query }, now, reading(collection));
      return remove({ collection, find, counts }, context);
    },
  };
}
