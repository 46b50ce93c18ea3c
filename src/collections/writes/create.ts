// Creates documents, one or many, and the records of uploaded files: all of them or none.
import { AppError } from '../../errors/errors.ts';
import { andThen, type MaybePromise, mapYielding } from '../../lib/async/maybe-promise.ts';
import type { CheckedJson, Json, JsonObject } from '../../lib/json/json.ts';
import type { Write } from '../../stores/ports.ts';
import { hasHooks, openHookSession } from '../hooks/document-hooks.ts';
import type { Collection } from '../model/collection.ts';
import type {
  CreateRecordsOptions,
  NewRecord,
  RequestContext,
  WriteOptions,
  WriteResult,
} from '../model/documents.ts';
import { missingFileIssue, stripRecordFields } from '../model/media-record-fields.ts';
import { commitPlan, commitWithRetry, formatAnswer, type WriteDeps } from './commit.ts';
import { assertStorable, assertValid, checkedJson, parseDocuments, validateBodies } from './request-body.ts';
import { openSubDocumentHooks, planSubDocuments } from './sub-documents.ts';
import { WritePlan } from './write-plan.ts';

/** Documents to create, all in one collection. */
interface Creation extends Pick<WriteOptions, 'compose'> {
  readonly collection: Collection;
  readonly documents: readonly JsonObject[];
  /** Fields of each document that only the server sets: neither a client nor a hook changes them. */
  readonly serverFields?: readonly JsonObject[];
  /** Issues name the index of the document. */
  readonly isList: boolean;
  /** Further writes of the same commit. */
  readonly extraWrites?: readonly Write[] | undefined;
}

/** See `DocumentService.create`. */
export function createDocuments(
  deps: WriteDeps,
  collection: Collection,
  body: Json | CheckedJson,
  context: RequestContext,
  { compose }: WriteOptions,
): MaybePromise<WriteResult> {
  if (deps.registry.holdsRecords(collection)) {
    return Promise.reject(new AppError('DOCUMENT_INVALID', { items: [missingFileIssue()] }));
  }
  return andThen(checkedJson(body), (json) => {
    const documents = parseDocuments(json, deps.limits.batch);
    return create(deps, { collection, documents, isList: Array.isArray(json), compose }, context);
  });
}

/** See `RecordService.createRecords`. */
export async function createRecords(
  deps: WriteDeps,
  collection: Collection,
  records: readonly NewRecord[],
  context: RequestContext,
  { extraWrites }: CreateRecordsOptions = {},
): Promise<WriteResult> {
  const serverFields = records.map((record) => record.serverFields);
  const documents = records.map((record) => ({
    ...record.serverFields,
    ...stripRecordFields(record.fields),
  }));
  await assertStorable(documents);
  const isList = records.length > 1;
  return create(deps, { collection, documents, serverFields, isList, extraWrites }, context);
}

async function create(deps: WriteDeps, creation: Creation, request: RequestContext): Promise<WriteResult> {
  const { collection, serverFields, isList, extraWrites = [], compose } = creation;
  const at = { event: 'beforeCreate', collection } as const;
  using hooks = openHookSession(deps, request, hasHooks(at));
  const { context } = hooks;
  const indexOf = (index: number) => (isList ? { index } : {});
  const target = { collection, mode: 'create', isList, caller: context.caller } as const;
  const bodies = await andThen(hooks.transformEach(at, creation.documents, indexOf), (documents) =>
    validateBodies(deps, target, documents),
  );
  const issues = bodies.flatMap((body) => body.issues);
  const subDocuments = bodies.flatMap((body) => body.subDocuments);
  // Sub-documents may have issues too: all are reported together.
  if (subDocuments.length === 0) assertValid(issues);

  const { created, writes } = await commitWithRetry(
    async () => {
      using nested = openSubDocumentHooks(deps, subDocuments, context);
      const plan = new WritePlan({ at: deps.now(), by: context.caller.clientId }, deps.generateId);
      for (const [position, write] of extraWrites.entries()) plan.addExtra(write, position);
      const inserted = await mapYielding(bodies, ({ fields, origin }, index) => {
        const all = serverFields === undefined ? fields : { ...serverFields[index], ...fields };
        return plan.insert(collection, { id: deps.generateId(), fields: all }, origin);
      });
      if (subDocuments.length > 0) {
        assertValid([...issues, ...(await planSubDocuments(deps, subDocuments, plan, nested))]);
      }
      const committed = await commitPlan(deps, plan, nested.context);
      return { created: inserted.map(({ text }) => text), writes: committed.writes };
    },
    { context, now: deps.now },
  );

  const depth = compose ?? (subDocuments.length > 0 || collection.settings.compose);
  // A new document has at most one revision, so only composition can add anything to it.
  if (!depth) return { results: created };
  return { results: await formatAnswer(deps, { collection, texts: created, depth, writes }, context) };
}
