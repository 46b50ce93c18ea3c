// Creating documents, one or many, and the records of uploaded files: all of them or none.
import { AppError } from '../../errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { awaitInSlices, mapInSlices } from '../../lib/slices.ts';
import type { Write } from '../../stores/ports.ts';
import type { Collection } from '../collection.ts';
import type { Context, DocumentLimits, DocumentService, RecordService, WriteOptions } from '../documents.ts';
import { beginHooks, type HookTools, hasHooks } from '../hook-session.ts';
import { missingFileItem, stripRecordFields } from '../record-fields.ts';
import type { Registry } from '../registry.ts';
import { guardBody, readDocuments, refuseInvalid } from './write-body.ts';
import { carriesSubDocuments, type Writer } from './writer.ts';

interface CreatingOptions extends HookTools {
  readonly writer: Writer;
  readonly registry: Pick<Registry, 'holdsRecords'>;
  readonly limits: Pick<DocumentLimits, 'batch'>;
  readonly newId: () => string;
}

type Creating = Pick<DocumentService, 'create'> & Pick<RecordService, 'createRecords'>;

/** Documents on their way, all for one collection. */
interface Creation extends Pick<WriteOptions, 'compose'> {
  readonly collection: Collection;
  /** As hooks see them. */
  readonly documents: readonly JsonObject[];
  /** What only the server sets in them, document by document: neither a client nor a hook changes it. */
  readonly own?: readonly JsonObject[];
  /** Whether failures name the position of a document. */
  readonly isList: boolean;
  /** What is to be written in the same commit. */
  readonly beside?: readonly Write[] | undefined;
}

const withOwn = (own: JsonObject | undefined, fields: JsonObject) =>
  own === undefined ? fields : { ...own, ...fields };

function createCreate(options: CreatingOptions) {
  const { writer, limits, newId } = options;

  return async (creation: Creation, asked: Context): Promise<{ readonly results: readonly string[] }> => {
    const { collection, own, isList, beside = [], compose } = creation;
    const placeOf = (index: number) => (isList ? { index } : {});
    const at = { event: 'beforeCreate', collection } as const;
    using session = hasHooks(at) ? beginHooks(options, asked) : undefined;
    const documents = (await session?.changeEach(at, creation.documents, placeOf)) ?? creation.documents;
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
      async (plan) => {
        for (const [position, write] of beside.entries()) {
          plan.beside(write, { prefix: '', beside: position });
        }
        const written = await mapInSlices(prepared, ({ fields, origin }, index) =>
          plan.insert(collection, { id: newId(), fields: withOwn(own?.[index], fields) }, origin),
        );
        return { planned: written, items };
      },
      context,
    );
    return { results: await writer.answer(collection, planned, { compose, carried, context }) };
  };
}

export function createCreating(options: CreatingOptions): Creating {
  const { registry, limits } = options;
  const create = createCreate(options);
  return {
    async create(collection, body, context, { compose }) {
      if (registry.holdsRecords(collection)) {
        throw new AppError('DOCUMENT_INVALID', { items: [missingFileItem()] });
      }
      await guardBody(body);
      const documents = readDocuments(body, limits.batch);
      return create({ collection, documents, isList: Array.isArray(body), compose }, context);
    },

    async createRecords(collection, records, context, { also } = {}) {
      const own = records.map((record) => record.own);
      const documents = records.map((record) => ({ ...record.own, ...stripRecordFields(record.fields) }));
      await guardBody(documents);
      return create({ collection, documents, own, isList: records.length > 1, beside: also }, context);
    },
  };
}
