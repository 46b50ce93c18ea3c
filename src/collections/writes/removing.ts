// Removing documents, one by its id or all that a query matches. Their last states stay behind as revisions.
import type { KeyedQueue } from '../../lib/keyed-queue.ts';
import { mapInSlices } from '../../lib/slices.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import type { Collection } from '../collection.ts';
import type { Context, DocumentService } from '../documents.ts';
import { documentKey } from '../registry.ts';
import type { Affected } from './affected.ts';
import { guardBody, readQuery } from './write-body.ts';
import type { Writer } from './writer.ts';

interface RemovingOptions {
  readonly writer: Writer;
  readonly affected: Affected;
  readonly turns: KeyedQueue;
}

type Removing = Pick<DocumentService, 'removeById' | 'removeByQuery'>;

export function createRemoving({ writer, affected, turns }: RemovingOptions): Removing {
  // Only a revision needs the whole state.
  const reading = ({ settings }: Collection) =>
    settings.storeRevisions ? {} : { projection: { include: ['v'] } };

  const remove = async (
    collection: Collection,
    find: () => Promise<readonly StoredDocument[]>,
    context: Context,
  ) => {
    const { planned: deleted } = await writer.commit(
      [],
      async (plan) => {
        const documents = await find();
        await mapInSlices(documents, (stored) => plan.remove(collection, stored));
        return documents.length;
      },
      context,
    );
    return { deleted, totalCount: await affected.left(collection, context) };
  };

  return {
    removeById(collection, id, context, { ifMatch }) {
      const find = async () => {
        return [await affected.one({ collection, id }, context, { ifMatch, ...reading(collection) })];
      };
      return turns.run(documentKey(collection.namespace, id), () => remove(collection, find, context));
    },

    async removeByQuery(collection, body, context) {
      guardBody(body);
      const query = readQuery(body);
      const find = () => affected.matching({ collection, query }, context, reading(collection));
      return remove(collection, find, context);
    },
  };
}
