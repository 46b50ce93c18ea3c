// Updating documents, one by its id or all that a query matches: only the fields that are sent are set.
import type { JsonObject } from '../../lib/json.ts';
import type { KeyedQueue } from '../../lib/keyed-queue.ts';
import { mapInSlices } from '../../lib/slices.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import type { Collection } from '../collection.ts';
import type { Context, DocumentLimits, DocumentService, Page, WriteOptions } from '../documents.ts';
import { beginHooks, type HookTools, hasHooks } from '../hook-session.ts';
import { writeMetadata } from '../reads/metadata.ts';
import { documentKey } from '../registry.ts';
import type { Affected } from './affected.ts';
import { inTurn } from './turns.ts';
import { settleUndeclared } from './undeclared.ts';
import { guardBody, readFields, readQuery, readUpdate, refuseInvalid } from './write-body.ts';
import { retryConflicts } from './write-failure.ts';
import { carriesSubDocuments, type Prepared, type Writer } from './writer.ts';

interface UpdatingOptions extends HookTools {
  readonly writer: Writer;
  readonly affected: Affected;
  readonly limits: Pick<DocumentLimits, 'batch'>;
  /** Writers of one document wait for each other here, and need no second attempt. */
  readonly turns: KeyedQueue;
}

type Updating = Pick<DocumentService, 'updateById' | 'updateByQuery'>;

/** An update on its way, with what depends on the documents as they are now. */
interface UpdateTask {
  readonly collection: Collection;
  readonly fields: JsonObject;
  readonly find: (context: Context) => Promise<readonly StoredDocument[]>;
}

interface Attempt {
  readonly collection: Collection;
  readonly prepared: Prepared;
  readonly find: () => Promise<readonly StoredDocument[]>;
}

function createUpdate(options: UpdatingOptions) {
  const { writer, limits, now } = options;
  const prepare = (collection: Collection, fields: JsonObject, context: Context) => {
    const target = {
      collection,
      mode: 'update' as const,
      origin: { prefix: '' },
      room: { left: limits.batch },
    };
    return writer.prepare(target, fields, context);
  };

  const writeWith = async (
    commit: Writer['commit'],
    { collection, prepared, find }: Attempt,
    context: Context,
    { compose }: WriteOptions,
  ): Promise<Page> => {
    const { origin } = prepared;
    const { planned, updated } = await commit(
      [prepared],
      async (plan) => {
        const documents = await find();
        const stored = { collection, documents, caller: context.caller };
        const { fields, items } = await settleUndeclared(prepared, stored);
        // What is refused anyway is not copied for each document.
        const targets = items.length === 0 ? documents : [];
        await mapInSlices(targets, (one) => plan.update(collection, one, { fields, origin }));
        return { planned: documents.length, items };
      },
      context,
    );
    // Sub-documents were planned after the documents themselves.
    const written = updated.slice(0, planned);
    const carried = carriesSubDocuments([prepared]);
    const results = await writer.answer(collection, written, { compose, carried, context });
    return { results, metadata: writeMetadata(results.length) };
  };

  const plain = async ({ collection, fields, find }: UpdateTask, context: Context, options: WriteOptions) => {
    const prepared = await prepare(collection, fields, context);
    // Sub-documents and undeclared fields may have failures of their own, which are told together with these.
    const isComplete = !carriesSubDocuments([prepared]) && prepared.undeclared.length === 0;
    if (isComplete) refuseInvalid(prepared.items);
    const attempt = { collection, prepared, find: () => find(context) };
    return writeWith(writer.commit, attempt, context, options);
  };

  /** Each attempt shows the hooks the documents that it is about to write: what they allowed is what is written. */
  const hooked = async (
    { collection, fields, find }: UpdateTask,
    asked: Context,
    writeOptions: WriteOptions,
  ): Promise<Page> => {
    using session = beginHooks(options, asked);
    const { context } = session;
    const attempt = async () => {
      const stored = await find(context);
      const documents = await mapInSlices(stored, (document) => JSON.stringify(document));
      // Where nothing is to be written there is nothing that a hook could stand before.
      const at = { event: 'beforeUpdate', collection } as const;
      const changed = stored.length === 0 ? fields : await session.change(at, fields, { documents });
      const prepared = await prepare(collection, changed, context);
      const task = { collection, prepared, find: async () => stored };
      return writeWith(writer.commitOnce, task, context, writeOptions);
    };
    return await retryConflicts(attempt, { context, now });
  };

  return (task: UpdateTask, context: Context, writeOptions: WriteOptions): Promise<Page> => {
    const isHooked = hasHooks({ event: 'beforeUpdate', collection: task.collection });
    return (isHooked ? hooked : plain)(task, context, writeOptions);
  };
}

export function createUpdating(options: UpdatingOptions): Updating {
  const { affected, turns } = options;
  const update = createUpdate(options);
  return {
    async updateById(collection, id, body, context, writeOptions) {
      const target = { collection, id };
      return inTurn(turns, documentKey(collection.namespace, id), context, async () => {
        let read: StoredDocument | undefined = await affected.one(target, context, writeOptions);
        await guardBody(body);
        const find = async (now: Context) => {
          const stored = read ?? (await affected.one(target, now, writeOptions));
          // Should the commit come too late, the next attempt reads for itself.
          read = undefined;
          return [stored];
        };
        return update({ collection, fields: readFields(collection, body), find }, context, writeOptions);
      });
    },

    async updateByQuery(collection, body, context, writeOptions) {
      await guardBody(body);
      const query = readQuery(body);
      const find = (now: Context) => affected.matching({ collection, query }, now, {});
      return update({ collection, fields: readUpdate(body), find }, context, writeOptions);
    },
  };
}
