// Creates documents, one or many, and the records of uploaded files: all of them or none.
import { AppError } from '../../errors/errors.ts';
import { attempt, type MaybePromise, mapYielding, startAllYielding } from '../../lib/async/maybe-promise.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { Write } from '../../stores/ports.ts';
import { openHookSession } from '../hooks/document-hooks.ts';
import type { Collection } from '../model/collection.ts';
import type {
  CreateRecordsOptions,
  NewRecord,
  RequestContext,
  WriteOptions,
  WriteResult,
} from '../model/documents.ts';
import { missingFileIssue, stripRecordFields } from '../model/media-record-fields.ts';
import { withNameHints } from '../validation/undeclared-fields.ts';
import { formatAnswer, showWritten } from './answer.ts';
import { findClosedValues } from './closed-fields.ts';
import { commitPlan, commitWithRetry } from './commit.ts';
import { createExtractOptions, extractSubDocuments } from './extract-sub-documents.ts';
import { type HookedCreates, hasHooked, openPlanning, planSubDocuments } from './plan-sub-documents.ts';
import { WHOLE_BODY } from './planned-write.ts';
import { assertStorable, assertValid, parseDocuments, validateBody } from './request-body.ts';
import type { WriteDeps } from './write-deps.ts';
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

const NONE: readonly never[] = [];

/** See `DocumentService.create`. */
export function createDocuments(
  deps: WriteDeps,
  collection: Collection,
  body: Json,
  context: RequestContext,
  { compose }: WriteOptions,
): MaybePromise<WriteResult> {
  return attempt(() => {
    if (deps.registry.holdsRecords(collection)) {
      throw new AppError('DOCUMENT_INVALID', { items: [missingFileIssue()] });
    }
    const documents = parseDocuments(body, deps.limits.batch);
    return create(deps, { collection, documents, isList: Array.isArray(body), compose }, context);
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

/** Before-hooks, sub-documents, validation, plan, commit and answer of a create, in this order. */
async function create(deps: WriteDeps, creation: Creation, request: RequestContext): Promise<WriteResult> {
  const { collection, serverFields, isList, extraWrites = NONE, compose } = creation;
  const positionOf = (index: number) => (isList ? { prefix: '', index } : WHOLE_BODY);
  const { generateId, now } = deps;
  const { caller } = request;
  const access = caller.access(collection);
  // What hooks make of the documents is not held against the caller.
  const closed = await mapYielding(creation.documents, (document, index) =>
    findClosedValues(deps, { collection, id: undefined, position: positionOf(index) }, document, caller),
  );

  using hooks = collection.settings.hooks?.beforeCreate && openHookSession(deps, request);
  const context = hooks?.context ?? request;
  const at = { event: 'beforeCreate', collection } as const;
  const documents = hooks
    ? await hooks.transformEach(at, creation.documents, (index) => (isList ? { index } : {}))
    : creation.documents;

  const target = { collection, mode: 'create' } as const;
  const extractOptions = createExtractOptions(deps, caller);
  const bodies = await startAllYielding(documents, (document, index) => {
    const position = positionOf(index);
    const extracted = extractSubDocuments({ collection, position }, document, extractOptions);
    return validateBody(deps, { ...target, access, sent: creation.documents[index] }, extracted);
  });
  const subDocuments = bodies.flatMap((body) => body.subDocuments);
  const found = bodies.flatMap((body) => body.issues);
  const issues = withNameHints(found, { collection, access });

  const hookedCreates: HookedCreates = new Map();
  const { texts, writes } = await commitWithRetry(
    async () => {
      const plan = new WritePlan({ at: now(), by: caller.clientId }, generateId);
      for (const [index, write] of extraWrites.entries()) plan.addExtra(write, index);
      // A create that is rejected anyway plans no inserts: the error for their size would hide the issues.
      const valid = issues.length === 0 ? bodies : NONE;
      const inserted = await mapYielding(valid, ({ fields: sent, position }, index) => {
        // `extractSubDocuments` took the server's fields out of what was sent: no member is in both.
        const fields = serverFields === undefined ? sent : { ...serverFields[index], ...sent };
        return plan.insert(collection, { id: generateId(), fields }, position);
      });
      using planning = openPlanning(
        deps,
        { plan, subDocuments, hookedCreates, closed: closed.flat(), mode: 'create' },
        context,
      );
      // Sub-documents may have issues too: all are reported together.
      assertValid([...issues, ...(await planSubDocuments(deps, planning))]);
      const finished = await commitPlan(deps, plan, planning.context);
      return { texts: inserted.map(({ text }) => text), writes: finished.writes };
    },
    { context, now, isHooked: hasHooked(subDocuments) },
  );

  const depth = compose ?? (subDocuments.length > 0 || collection.settings.compose);
  // A new document has at most one revision, so only composition can add anything to it.
  if (!depth) return { results: await showWritten(deps, { collection, texts }, context) };
  return { results: await formatAnswer(deps, { collection, texts, depth, writes }, context) };
}
