// Creating documents, one or many, and the records of uploaded files: all of them or none.
import { AppError } from '../../errors.ts';
import { mapYielding, startAllYielding } from '../../lib/async/yielding.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { Write } from '../../stores/ports.ts';
import { type HookDeps, hasHooks, openHookSession } from '../hooks/hook-session.ts';
import type { Collection } from '../model/collection.ts';
import type {
  DocumentLimits,
  DocumentService,
  RecordService,
  RequestContext,
  WriteOptions,
} from '../model/documents.ts';
import { missingFileIssue, stripRecordFields } from '../model/media-record-fields.ts';
import type { Registry } from '../model/registry.ts';
import { hasSubDocuments, type Writer } from './prepare.ts';
import { assertStorable, assertValid, parseDocuments } from './request-body.ts';

interface CreateDeps extends HookDeps {
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

const withServerFields = (own: JsonObject | undefined, fields: JsonObject) =>
  own === undefined ? fields : { ...own, ...fields };

function createCreate(options: CreateDeps) {
  const { writer, limits, newId } = options;

  return async (
    creation: Creation,
    asked: RequestContext,
  ): Promise<{ readonly results: readonly string[] }> => {
    const { collection, own, isList, beside = [], compose } = creation;
    const placeOf = (index: number) => (isList ? { index } : {});
    const at = { event: 'beforeCreate', collection } as const;
    using session = hasHooks(at) ? openHookSession(options, asked) : undefined;
    const documents = (await session?.transformEach(at, creation.documents, placeOf)) ?? creation.documents;
    const context = session?.context ?? asked;
    const room = { left: limits.batch };
    const prepare = (document: JsonObject, index: number) =>
      writer.prepare(
        { collection, mode: 'create', origin: { prefix: '', ...placeOf(index) }, room },
        document,
        context,
      );
    const prepared = await startAllYielding(documents, prepare);
    const carried = hasSubDocuments(prepared);
    // Sub-documents may have failures of their own, which are told together with these.
    if (!carried) assertValid(prepared.flatMap(({ items }) => items));
    const items = prepared.flatMap((one) => one.items);
    const { planned } = await writer.commit(
      prepared,
      async (plan) => {
        for (const [position, write] of beside.entries()) {
          plan.addExtra(write, { prefix: '', extraWrite: position });
        }
        const written = await mapYielding(prepared, ({ fields, origin }, index) =>
          plan.insert(collection, { id: newId(), fields: withServerFields(own?.[index], fields) }, origin),
        );
        return { planned: written, items };
      },
      context,
    );
    return { results: await writer.answer(collection, planned, { compose, carried, context }) };
  };
}

export function createCreates(options: CreateDeps): Creating {
  const { registry, limits } = options;
  const create = createCreate(options);
  return {
    async create(collection, body, context, { compose }) {
      if (registry.holdsRecords(collection)) {
        throw new AppError('DOCUMENT_INVALID', { items: [missingFileIssue()] });
      }
      await assertStorable(body);
      const documents = parseDocuments(body, limits.batch);
      return create({ collection, documents, isList: Array.isArray(body), compose }, context);
    },

    async createRecords(collection, records, context, { also } = {}) {
      const own = records.map((record) => record.own);
      const documents = records.map((record) => ({ ...record.own, ...stripRecordFields(record.fields) }));
      await assertStorable(documents);
      return create({ collection, documents, own, isList: records.length > 1, beside: also }, context);
    },
  };
}
