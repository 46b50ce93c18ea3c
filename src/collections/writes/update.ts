// Updates documents, one by its id or all that a query matches: only the fields that are sent are set.
import { AppError } from '../../errors/errors.ts';
import { mapYielding } from '../../lib/async/maybe-promise.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import { type HookSession, openHookSession } from '../hooks/document-hooks.ts';
import type { Collection } from '../model/collection.ts';
import type { Caller, Page, RequestContext, WriteOptions } from '../model/documents.ts';
import { writeMetadata } from '../reads/resolve-read.ts';
import { resolveUndeclared } from '../validation/undeclared-fields.ts';
import { formatAnswer } from './answer.ts';
import { commitPlan, commitWithRetry } from './commit.ts';
import { createExtractOptions, extractSubDocuments, WHOLE_BODY } from './extract-sub-documents.ts';
import { followHookWrites } from './own-hook-writes.ts';
import { type HookedCreates, hasHooked, openPlanning, planSubDocuments } from './plan-sub-documents.ts';
import {
  assertValid,
  parseFields,
  requireObject,
  requireQuery,
  type ValidatedBody,
  validateBody,
} from './request-body.ts';
import { loadTargets, type WriteTarget, withDocumentLock } from './targets.ts';
import type { WriteDeps } from './write-deps.ts';
import { WritePlan } from './write-plan.ts';

interface Update extends Pick<WriteOptions, 'compose'> {
  readonly collection: Collection;
  readonly fields: JsonObject;
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
    const loaded = await loadTargets(deps, { collection, target }, context);
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
  return update(deps, { collection, fields: requireObject(body, 'update'), target, compose }, context);
}

/** Before-hooks, sub-documents, validation, plan, commit and answer of an update, in this order. */
async function update(
  deps: WriteDeps,
  { collection, fields: sent, target, loaded, compose }: Update,
  request: RequestContext,
): Promise<Page> {
  const { generateId, now } = deps;
  const { caller } = request;

  using hooks = collection.settings.hooks?.beforeUpdate && openHookSession(deps, request);
  const context = hooks?.context ?? request;
  const prepared = hooks ? undefined : await prepareBody(deps, collection, sent, caller);
  let first = loaded;
  const hookedCreates: HookedCreates = new Map();
  const isHooked = hooks !== undefined || hasHooked(prepared?.subDocuments ?? []);

  const { texts, writes, hasSubDocuments } = await commitWithRetry(
    async () => {
      const loadedNow = first ?? (await loadTargets(deps, { collection, target }, context));
      // After a conflict the targets are read again.
      first = undefined;
      // Hooks see the documents that this attempt writes, and allow this write only.
      const hooked = hooks ? await transformFields(hooks, collection, sent, loadedNow) : sent;
      const { documents } = await followHookWrites(deps, collection, loadedNow, context);
      if ('id' in target && documents.length === 0) throw new AppError('DOCUMENT_NOT_FOUND');
      const body = prepared ?? (await prepareBody(deps, collection, hooked, caller));
      const { subDocuments, position } = body;
      const hasSubDocuments = subDocuments.length > 0;

      const plan = new WritePlan({ at: now(), by: caller.clientId }, generateId);
      const { fields, issues } = await resolveUndeclared(body, { collection, documents, caller });
      // The new state of each document is not computed for an update that is rejected anyway.
      await mapYielding(issues.length === 0 ? documents : [], (stored) =>
        plan.update(collection, stored, { fields, position }),
      );
      using planning = openPlanning(deps, { plan, subDocuments, hookedCreates }, context);
      assertValid([...issues, ...(await planSubDocuments(deps, planning))]);

      // Without a match there is no document that the sub-documents could belong to.
      if (documents.length === 0) return { texts: [], writes: [], hasSubDocuments };
      const { updated, writes } = await commitPlan(deps, plan, planning.context);
      // Sub-documents were planned after the documents themselves.
      const texts = updated.slice(0, documents.length).map(({ text }) => text);
      return { texts, writes, hasSubDocuments };
    },
    { context, now, isHooked },
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

/**
 * Takes the sub-documents out of the fields, and validates what is left. Throws DOCUMENT_INVALID where no stored document
 * and no sub-document can add issues.
 */
async function prepareBody(
  deps: WriteDeps,
  collection: Collection,
  sent: JsonObject,
  caller: Caller,
): Promise<ValidatedBody> {
  const options = createExtractOptions(deps, caller);
  const extracted = extractSubDocuments({ collection, position: WHOLE_BODY }, sent, options);
  const body = await validateBody(deps, { collection, mode: 'update' }, extracted);
  if (body.subDocuments.length === 0 && body.undeclared.length === 0) assertValid(body.issues);
  return body;
}
