// Creating documents, one or many: all of them or none.
import type { JsonObject } from '../../lib/json.ts';
import { awaitInSlices, mapInSlices } from '../../lib/slices.ts';
import type { Collection } from '../collection.ts';
import type { Context, DocumentLimits, DocumentService } from '../documents.ts';
import { beginHooks, type HookTools, hasHooks } from '../hook-session.ts';
import { guardBody, readDocuments, refuseInvalid } from './write-body.ts';
import { carriesSubDocuments, type Writer } from './writer.ts';

interface CreatingOptions extends HookTools {
  readonly writer: Writer;
  readonly limits: Pick<DocumentLimits, 'batch'>;
  readonly newId: () => string;
}

/** Where in a batch a document is. */
interface Place {
  readonly index?: number;
}

export function createCreating(options: CreatingOptions): Pick<DocumentService, 'create'> {
  const { writer, limits, newId } = options;

  /** What hooks make of the documents, and the context in which they are written then. */
  const throughHooks = async (
    { collection, placeOf }: { readonly collection: Collection; readonly placeOf: (index: number) => Place },
    documents: readonly JsonObject[],
    context: Context,
  ) => {
    const at = { event: 'beforeCreate', collection } as const;
    if (!hasHooks(at)) return { documents, context };
    const session = beginHooks(options, context);
    const changed = await session.changeEach(at, documents, placeOf);
    return { documents: changed, context: session.context };
  };

  return {
    async create(collection, body, asked, { compose }) {
      await guardBody(body);
      const sent = readDocuments(body, limits.batch);
      const placeOf = (index: number) => (Array.isArray(body) ? { index } : {});
      const { documents, context } = await throughHooks({ collection, placeOf }, sent, asked);
      const room = { left: limits.batch };
      const prepare = (document: JsonObject, index: number) =>
        writer.prepare(
          { collection, mode: 'create', origin: { prefix: '', ...placeOf(index) }, room },
          document,
          context,
        );
      const prepared = await awaitInSlices(documents, prepare);
      const carried = carriesSubDocuments(prepared);
      // Sub-documents may have failures of their own, which are told together with these.
      if (!carried) refuseInvalid(prepared.flatMap(({ items }) => items));
      const items = prepared.flatMap((one) => one.items);
      const { planned } = await writer.commit(
        prepared,
        async (plan) => ({
          planned: await mapInSlices(prepared, ({ fields, origin }) =>
            plan.insert(collection, { id: newId(), fields }, origin),
          ),
          items,
        }),
        context,
      );
      return { results: await writer.answer(collection, planned, { compose, carried, context }) };
    },
  };
}
