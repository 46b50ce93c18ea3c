// Updating documents, one by its id or all that a query matches: only the fields that are sent are set.
import type { JsonObject } from '../../lib/json.ts';
import type { KeyedQueue } from '../../lib/keyed-queue.ts';
import { mapInSlices } from '../../lib/slices.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import type { Collection } from '../collection.ts';
import type { Context, DocumentLimits, DocumentService, WriteOptions } from '../documents.ts';
import { writeMetadata } from '../reads/metadata.ts';
import { documentKey } from '../registry.ts';
import type { Affected } from './affected.ts';
import { guardBody, readFields, readQuery, readUpdate } from './write-body.ts';
import { carriesSubDocuments, type Prepared, type Writer } from './writer.ts';

interface UpdatingOptions {
  readonly writer: Writer;
  readonly affected: Affected;
  readonly limits: Pick<DocumentLimits, 'batch'>;
  /** Writers of one document wait for each other here, and need no second attempt. */
  readonly turns: KeyedQueue;
}

type Updating = Pick<DocumentService, 'updateById' | 'updateByQuery'>;

export function createUpdating({ writer, affected, limits, turns }: UpdatingOptions): Updating {
  const prepare = (collection: Collection, fields: JsonObject, context: Context) => {
    const target = {
      collection,
      mode: 'update' as const,
      origin: { prefix: '' },
      room: { left: limits.batch },
    };
    return writer.prepare(target, fields, context);
  };

  const update = async (
    { collection, prepared, find }: UpdateTask,
    context: Context,
    { compose }: WriteOptions,
  ) => {
    const { fields, origin } = prepared;
    const { planned, updated } = await writer.commit(
      [prepared],
      async (plan) => {
        const documents = await find();
        await mapInSlices(documents, (stored) => plan.update(collection, stored, { fields, origin }));
        return documents.length;
      },
      context,
    );
    // Sub-documents were planned after the documents themselves.
    const written = updated.slice(0, planned);
    const carried = carriesSubDocuments([prepared]);
    const results = await writer.answer(collection, written, { compose, carried, context });
    return { results, metadata: writeMetadata(results.length) };
  };

  return {
    async updateById(collection, id, body, context, options) {
      const target = { collection, id };
      return turns.run(documentKey(collection.namespace, id), async () => {
        let read: StoredDocument | undefined = await affected.one(target, context, options);
        guardBody(body);
        const prepared = await prepare(collection, readFields(collection, body), context);
        const find = async () => {
          const stored = read ?? (await affected.one(target, context, options));
          // Should the commit come too late, the next attempt reads for itself.
          read = undefined;
          return [stored];
        };
        return update({ collection, prepared, find }, context, options);
      });
    },

    async updateByQuery(collection, body, context, options) {
      guardBody(body);
      const query = readQuery(body);
      const prepared = await prepare(collection, readUpdate(body), context);
      const find = () => affected.matching({ collection, query }, context, {});
      return update({ collection, prepared, find }, context, options);
    },
  };
}

interface UpdateTask {
  readonly collection: Collection;
  readonly prepared: Prepared;
  /** Reads the documents as they are now. */
  readonly find: () => Promise<readonly StoredDocument[]>;
}
