// Creating documents, one or many: all of them or none.
import type { JsonObject } from '../../lib/json.ts';
import { awaitInSlices, mapInSlices } from '../../lib/slices.ts';
import type { DocumentLimits, DocumentService } from '../documents.ts';
import { beginHooks, type HookTools, hasHooks } from '../hook-session.ts';
import { guardBody, readDocuments, refuseInvalid } from './write-body.ts';
import { carriesSubDocuments, type Writer } from './writer.ts';

interface CreatingOptions extends HookTools {
  readonly writer: Writer;
  readonly limits: Pick<DocumentLimits, 'batch'>;
  readonly newId: () => string;
}

export function createCreating(options: CreatingOptions): Pick<DocumentService, 'create'> {
  const { writer, limits, newId } = options;

  return {
    async create(collection, body, asked, { compose }) {
      await guardBody(body);
      const sent = readDocuments(body, limits.batch);
      const placeOf = (index: number) => (Array.isArray(body) ? { index } : {});
      const at = { event: 'beforeCreate', collection } as const;
      using session = hasHooks(at) ? beginHooks(options, asked) : undefined;
      const documents = (await session?.changeEach(at, sent, placeOf)) ?? sent;
      const context = session?.context ?? asked;
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
