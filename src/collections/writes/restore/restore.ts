// Gives a document the state that one of its revisions keeps: fields that came later go, and a removed document comes back under its
// id. Hooks, validation and revisions are those of an update, or of a create where the document was removed.
import { AppError } from '../../../errors/errors.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { parseStoredJson } from '../../../lib/json/stored-json.ts';
import { type Filter, filterById, joinFilters } from '../../../stores/filter.ts';
import type { StoredDocument } from '../../../stores/ports.ts';
import { openHookSession } from '../../hooks/document-hooks.ts';
import { notPermitted, permitServer } from '../../model/access.ts';
import type { Collection } from '../../model/collection.ts';
import type { Page, RequestContext, RestoreTarget, WriteOptions } from '../../model/documents.ts';
import { missingFileIssue } from '../../model/media-record-fields.ts';
import { ownRevisionsFilter } from '../../model/revision-owner.ts';
import { revisionNamespaceOf, revisionsFilter } from '../../model/stored-document.ts';
import { writeMetadata } from '../../reads/resolve-read.ts';
import { fieldIssue, validateFields } from '../../validation/validate-document.ts';
import { formatAnswer } from '../answer.ts';
import { assertRestorable } from '../closed-fields.ts';
import { commitPlan, commitWithRetry } from '../commit.ts';
import { createExtractOptions, extractSubDocuments } from '../extract-sub-documents.ts';
import { createStateTest, withoutHiddenNames } from '../permitted-states.ts';
import { type HookedCreates, hasHooked, openPlanning, planSubDocuments } from '../plan-sub-documents.ts';
import { WHOLE_BODY } from '../planned-write.ts';
import { assertValid } from '../request-body.ts';
import { resolveUpdate } from '../resolve-update.ts';
import { stateOf } from '../revision-state.ts';
import { withDocumentLock } from '../targets.ts';
import { update } from '../update.ts';
import type { WriteDeps } from '../write-deps.ts';
import { WritePlan } from '../write-plan.ts';
import { documentOf, readLastRevision, readRemovedHistory } from './removed-history.ts';

/** See `DocumentService.restore`. */
export function restoreRevision(
  deps: WriteDeps,
  collection: Collection,
  { id, revisionId }: RestoreTarget,
  context: RequestContext,
  options: WriteOptions,
): Promise<Page> {
  return withDocumentLock(deps, { collection, id }, context, async () => {
    const { deadline, caller } = context;
    // Who may not read the document may not learn what it was either.
    const access = caller.access(collection);
    if (access.read === null || access.update === null || access.history === null) {
      throw notPermitted(access, caller);
    }
    const texts = await deps.store.findByIds(collection.namespace, [id], { deadline });
    const text = texts.get(id);
    if (access.isRuled) {
      const stored =
        text === undefined
          ? documentOf(await readLastRevision(deps, collection, id, context), id)
          : parseStoredJson(text);
      assertRestorable(access, { stored, restored: stored }, caller);
    }
    const revision = await findRevision(deps, collection, { id, revisionId }, context);
    const restored = stateOf(deps, collection, revision);
    if (text !== undefined) {
      const { ifMatch, compose } = options;
      return update(deps, { collection, fields: {}, restored, target: { id, ifMatch }, compose }, context);
    }
    return createAgain(deps, { collection, id, revision, restored }, context, options);
  });
}

async function findRevision(
  { store, registry, filters }: WriteDeps,
  collection: Collection,
  { id, revisionId }: RestoreTarget,
  { caller, deadline }: RequestContext,
): Promise<StoredDocument> {
  if (!collection.settings.storeRevisions) throw new AppError('DOCUMENT_NOT_FOUND');
  const own = joinFilters([ownRevisionsFilter(collection, registry), filters.ownDocuments(collection)]);
  const wanted: Filter = { kind: 'and', filters: [filterById(revisionId), revisionsFilter(id), own] };
  const query = { filter: permitServer(wanted), sort: [], skip: 0, limit: 1 };
  const [revision] = await store.find(revisionNamespaceOf(collection), query, { deadline });
  const mayRead = createStateTest(caller.access(collection), 'read');
  if (revision === undefined || !mayRead(documentOf(revision, id))) throw new AppError('DOCUMENT_NOT_FOUND');
  return revision;
}

interface RemovedDocument {
  readonly collection: Collection;
  readonly id: string;
  readonly revision: StoredDocument;
  /** The state that it gets back. */
  readonly restored: JsonObject;
}

/** Creates a removed document again, under its id, with a `v` that follows the one it had last. */
async function createAgain(
  deps: WriteDeps,
  { collection, id, revision, restored }: RemovedDocument,
  request: RequestContext,
  { compose, ifMatch }: WriteOptions,
): Promise<Page> {
  const { registry, generateId, now } = deps;
  const { caller } = request;
  const access = caller.access(collection);
  if (access.create === null) throw notPermitted(access, caller);
  if (ifMatch?.(undefined) === false) throw new AppError('PRECONDITION_FAILED');
  // Its file is gone.
  if (registry.holdsRecords(collection)) assertValid([missingFileIssue()]);

  using hooks = collection.settings.hooks?.beforeCreate && openHookSession(deps, request);
  const context = hooks?.context ?? request;
  const hooked = hooks ? await hooks.transform({ event: 'beforeCreate', collection }, restored) : restored;
  const options = createExtractOptions(deps, caller);
  const {
    fields: sent,
    subDocuments,
    issues,
  } = extractSubDocuments({ collection, position: WHOLE_BODY }, hooked, options);
  const mode = { mode: 'update', matchPattern: deps.matchPattern } as const;
  const validated = await validateFields(collection, sent, mode);
  const targets = { collection, documents: [], caller };
  const update = { client: {}, sent, validated, removed: [], restored };
  const resolved = await resolveUpdate(deps, update, targets);
  const missing = withoutHiddenNames(missingFields(collection, sent), access);
  const found = [...missing, ...resolved.issues, ...issues];

  const hookedCreates: HookedCreates = new Map();
  const { text, writes } = await commitWithRetry(
    async () => {
      const history = await readRemovedHistory(deps, collection, id, context);
      const lastRevision = await readLastRevision(deps, collection, id, context);
      const state = documentOf(lastRevision, id);
      assertRestorable(access, { stored: state, restored }, caller);
      const plan = new WritePlan({ at: now(), by: caller.clientId }, generateId);
      const { createdAt = null, createdBy = null } = revision;
      const last = { createdAt, createdBy, ...history, _id: id };
      const created = plan.insertAgain(collection, { last, state, lastRevision, fields: resolved.fields });
      const inner = { plan, subDocuments, hookedCreates, closed: [], mode: 'create' } as const;
      using planning = openPlanning(deps, inner, context);
      assertValid([...found, ...(await planSubDocuments(deps, planning))]);
      const { writes } = await commitPlan(deps, plan, planning.context).catch(rejectTakenId);
      return { text: created.text, writes };
    },
    { context, now, isHooked: hasHooked(subDocuments) },
  );
  const depth = compose ?? (subDocuments.length > 0 || collection.settings.compose);
  const results = await formatAnswer(deps, { collection, texts: [text], depth, writes }, context);
  return { results, metadata: writeMetadata(results.length) };
}

/** Required fields that a state has not. */
function missingFields({ fields }: Collection, state: JsonObject) {
  return [...fields.values()]
    .filter(({ name, required }) => required && !Object.hasOwn(state, name))
    .map((field) => fieldIssue(field, 'must be specified', 'ERROR_REQUIRED'));
}

/** Another process may have brought the document back meanwhile. */
function rejectTakenId(error: unknown): never {
  const isTaken = error instanceof AppError && error.items.some(({ field }) => field === '_id');
  throw isTaken ? new AppError('DOCUMENT_CHANGED', { cause: error }) : error;
}
