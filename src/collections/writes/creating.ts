// Creating documents, one or many: all of them or none.
import type { JsonObject } from '../../lib/json.ts';
import { awaitInSlices, mapInSlices } from '../../lib/slices.ts';
import type { DocumentLimits, DocumentService } from '../documents.ts';
import { guardBody, readDocuments, refuseInvalid } from './write-body.ts';
import { carriesSubDocuments, type Writer } from './writer.ts';

interface CreatingOptions {
  readonly writer: Writer;
  readonly limits: Pick<DocumentLimits, 'batch'>;
  readonly newId: () => string;
}

export function createCreating({ writer, limits, newId }: CreatingOptions): Pick<DocumentService, 'create'> {
  return {
    async create(collection, body, context, { compose }) {
      guardBody(body);
      const documents = readDocuments(body, limits.batch);
      const originOf = (index: number) => (Array.isArray(body) ? { prefix: '', index } : { prefix: '' });
      const room = { left: limits.batch };
      const prepare = (document: JsonObject, index: number) =>
        writer.prepare({ collection, mode: 'create', origin: originOf(index), room }, document, context);
      const prepared = await awaitInSlices(documents, prepare);
      const carried = carriesSubDocuments(prepared);
      // Sub-documents may have failures of their own, which are told together with these.
      if (!carried) refuseInvalid(prepared.flatMap(({ items }) => items));
      const { planned } = await writer.commit(
        prepared,
        (plan) =>
          mapInSlices(prepared, ({ fields, origin }) =>
            plan.insert(collection, { id: newId(), fields }, origin),
          ),
        context,
      );
      return { results: await writer.answer(collection, planned, { compose, carried, context }) };
    },
  };
}
