// Updates documents, one by its id or all that a query matches: only the fields that are sent are set.
import { AppError } from '../../errors/errors.ts';
import { mapYielding } from '../../lib/async/maybe-promise.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import { type HookSession, openHookSession } from '../hooks/document-hooks.ts';
import type { Collection } from '../model/collection.ts';
import type { Caller, Page, RequestContext, WriteOptions } from '../model/documents.ts';
import { writeMetadata } from '../reads/resolve-read.ts';
import { type ValidatedFields, validateFields } from '../validation/validate-document.ts';
import { formatAnswer } from './answer.ts';
import {
  assertClosedUnchanged,
  assertRestorable,
  type ClosedValue,
  findClosedValues,
  withoutClosed,
} from './closed-fields.ts';
import { commitPlan, commitWithRetry, followHookWrites } from './commit.ts';
import { createExtractOptions, type ExtractedBody, extractSubDocuments } from './extract-sub-documents.ts';
import { type HookedCreates, hasHooked, openPlanning, planSubDocuments } from './plan-sub-documents.ts';
import { WHOLE_BODY } from './planned-write.ts';
import { assertValid, parseFields, requireQuery, requireUpdate, splitUpdate } from './request-body.ts';
import { resolveUpdate } from './resolve-update.ts';
import { bodyOfState } from './revision-state.ts';
import { loadTargets, type WriteTarget, withDocumentLock, withHookedQueryLock } from './targets.ts';
import type { WriteDeps } from './write-deps.ts';
import { WritePlan } from './write-plan.ts';

const NONE: readonly never[] = [];

interface Update extends Pick<WriteOptions, 'compose'> {
  readonly collection: Collection;
  /** Fields to set, and those to remove in `$unset`. */
  readonly fields: JsonObject;
  /** In place of `fields`: the state of a revision that the document gets back. */
  readonly restored?: JsonObject;
  readonly target: WriteTarget;
  /** The targets where they have been read already: the first attempt uses them. */
  readonly loaded?: readonly StoredDocument[];
}

/** See `DocumentService.updateById`. */
export function updateById(
  deps: WriteDeps,
  collection: Collection,
  id: string,
  body: Json,
  context: RequestContext,
  { compose, ifMatch }: WriteOptions,
): Promise<Page> {
  return withDocumentLock(deps, { collection, id }, context, async () => {
    const target = { id, ifMatch };
    // An unknown id is a 404 whatever the body holds.
    const loaded = await loadTargets(deps, { collection, target, action: 'update' }, context);
    const fields = parseFields(collection, body);
    return update(deps, { collection, fields, target, loaded, compose }, context);
  });
}

/** See `DocumentService.updateByQuery`. */
export async function updateByQuery(
  deps: WriteDeps,
  collection: Collection,
  body: Json,
  context: RequestContext,
  { compose }: WriteOptions,
): Promise<Page> {
  const target = { query: requireQuery(body) };
  const fields = requireUpdate(body);
  return withHookedQueryLock(deps, { collection, event: 'beforeUpdate' }, context, () =>
    update(deps, { collection, fields, target, compose }, context),
  );
}

/** Before-hooks, sub-documents, validation, plan, commit and answer of an update, in this order. */
export async function update(
  deps: WriteDeps,
  { collection, fields, restored, target, loaded, compose }: Update,
  request: RequestContext,
): Promise<Page> {
  const { generateId, now } = deps;
  const { caller } = request;
  const client = { collection, id: 'id' in target ? target.id : undefined, position: WHOLE_BODY };
  // What hooks make of the fields is not held against the caller.
  const closed = restored ? NONE : findClosedValues(deps, client, fields, caller);

  using hooks = collection.settings.hooks?.beforeUpdate && openHookSession(deps, request);
  const context = hooks?.context ?? request;
  const isConstant = hooks === undefined && restored === undefined;
  const prepared = isConstant
    ? await prepareUpdate(deps, { collection, body: fields, closed }, caller)
    : undefined;
  let first = loaded;
  const hookedCreates: HookedCreates = new Map();
  const isHooked = hooks !== undefined || hasHooked(prepared?.subDocuments ?? []);

  const { texts, writes, hasSubDocuments } = await commitWithRetry(
    async () => {
      const loadedNow = first ?? (await loadTargets(deps, { collection, target, action: 'update' }, context));
      // After a conflict the targets are read again.
      first = undefined;
      assertPermittedFields({ collection, restored, closed }, loadedNow, caller);
      // Hooks see the documents that this attempt writes, and allow this write only.
      const sent = restored ? bodyOfState(deps, collection, restored, loadedNow[0]) : fields;
      const hooked = hooks ? await transformFields(hooks, collection, sent, loadedNow) : sent;
      const { documents } = await followHookWrites(deps, collection, loadedNow, context);
      if ('id' in target && documents.length === 0) throw new AppError('DOCUMENT_NOT_FOUND');
      const body = prepared ?? (await prepareUpdate(deps, { collection, body: hooked, closed }, caller));
      const { subDocuments, removed } = body;
      const hasSubDocuments = subDocuments.length > 0;

      const plan = new WritePlan({ at: now(), by: caller.clientId }, generateId);
      const targets = { collection, documents, caller };
      const resolved = await resolveUpdate(deps, { ...body, client: fields, restored }, targets);
      const issues = [...resolved.issues, ...body.issues];
      // The new state of each document is not computed for an update that is rejected anyway.
      await mapYielding(issues.length === 0 ? documents : [], (stored) =>
        plan.update(collection, stored, { fields: resolved.fields, removed, position: WHOLE_BODY }),
      );
      const inner = { plan, subDocuments, hookedCreates, closed, mode: 'update' } as const;
      using planning = openPlanning(deps, inner, context);
      assertValid([...issues, ...(await planSubDocuments(deps, planning))]);

      // Without a match there is no document that the sub-documents could belong to.
      if (documents.length === 0) return { texts: [], writes: [], hasSubDocuments };
      const { updated, writes } = await commitPlan(deps, plan, planning.context);
      // Sub-documents were planned after the documents themselves.
      const texts = updated.slice(0, documents.length).map(({ text }) => text);
      return { texts, writes, hasSubDocuments };
    },
    { context, now, isHooked, hooked: hooks && collection },
  );

  const depth = compose ?? (hasSubDocuments || collection.settings.compose);
  const results = await formatAnswer(deps, { collection, texts, depth, writes }, context);
  return { results, metadata: writeMetadata(results.length) };
}

/** What the hooks make of the fields. Without a target no hook runs. */
async function transformFields(
  hooks: HookSession,
  collection: Collection,
  sent: JsonObject,
  documents: readonly StoredDocument[],
): Promise<JsonObject> {
  if (documents.length === 0) return sent;
  const texts = await mapYielding(documents, (document) => JSON.stringify(document));
  return hooks.transform({ event: 'beforeUpdate', collection }, sent, { documents: texts });
}

interface PreparedUpdate extends Pick<ExtractedBody, 'subDocuments' | 'issues'> {
  /** As sent, sub-documents replaced by their ids. */
  readonly sent: JsonObject;
  readonly validated: ValidatedFields;
  /** Names of fields to remove. */
  readonly removed: readonly string[];
}

interface UpdateBody {
  readonly collection: Collection;
  readonly body: JsonObject;
  /** What the client sent for fields that it may not write. */
  readonly closed: readonly ClosedValue[];
}

/** Throws unless the caller may write the fields of an update, or restore the document, as far as its stored state decides that. */
function assertPermittedFields(
  { collection, restored, closed }: Omit<UpdateBody, 'body'> & { readonly restored: JsonObject | undefined },
  documents: readonly StoredDocument[],
  caller: Caller,
): void {
  if (restored === undefined && closed.length === 0) return;
  for (const stored of documents) {
    if (restored) assertRestorable(caller.access(collection), { stored, restored }, caller);
    const own = closed.filter(({ position }) => position.prefix === '');
    assertClosedUnchanged(own, caller, () => stored);
  }
}

/** Takes apart what an update sets and removes, and the sub-documents in it, and validates what needs no stored document. */
async function prepareUpdate(
  deps: WriteDeps,
  { collection, body, closed }: UpdateBody,
  caller: Caller,
): Promise<PreparedUpdate> {
  const { matchPattern, registry } = deps;
  const { sent: fields, removed, issues } = splitUpdate(collection, body, registry);
  const options = createExtractOptions(deps, caller);
  const extracted = extractSubDocuments({ collection, position: WHOLE_BODY }, fields, options);
  const { subDocuments } = extracted;
  const sent = withoutClosed(extracted.fields, { body, closed });
  const validated = await validateFields(collection, sent, { mode: 'update', matchPattern });
  return { sent, validated, removed, subDocuments, issues: [...extracted.issues, ...issues] };
}
