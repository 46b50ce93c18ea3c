// Updates documents, one by its id or all that a query matches: only the fields that are sent are set.
import { mapYielding } from '../../lib/async/maybe-promise.ts';
import type { CheckedJson, Json, JsonObject } from '../../lib/json/json.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import { type HookSession, hasHooks, openHookSession } from '../hooks/document-hooks.ts';
import type { Collection } from '../model/collection.ts';
import type { Page, RequestContext, WriteOptions } from '../model/documents.ts';
import { writeMetadata } from '../reads/resolve-read.ts';
import { resolveUndeclared } from '../validation/undeclared-fields.ts';
import { commitPlan, commitWithRetry, formatAnswer, type WriteDeps } from './commit.ts';
import {
  assertValid,
  checkedJson,
  parseFields,
  parseUpdate,
  parseWriteQuery,
  type ValidatedBody,
  validateBody,
} from './request-body.ts';
import { openSubDocumentHooks, planSubDocuments } from './sub-documents.ts';
import { loadTargets, type WriteTarget, withDocumentLock } from './targets.ts';
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
  body: Json | CheckedJson,
  context: RequestContext,
  { compose, ifMatch }: WriteOptions,
): Promise<Page> {
  return withDocumentLock(deps, { collection, id }, context, async () => {
    const target = { id, ifMatch };
    // An unknown id is a 404 whatever the body holds.
    const loaded = await loadTargets(deps, { collection, target }, context);
    const fields = parseFields(collection, await checkedJson(body));
    return update(deps, { collection, fields, target, loaded, compose }, context);
  });
}

/** See `DocumentService.updateByQuery`. */
export async function updateByQuery(
  deps: WriteDeps,
  collection: Collection,
  body: Json | CheckedJson,
  context: RequestContext,
  { compose }: WriteOptions,
): Promise<Page> {
  const json = await checkedJson(body);
  const target = { query: parseWriteQuery(json) };
  return update(deps, { collection, fields: parseUpdate(json), target, compose }, context);
}

async function update(
  deps: WriteDeps,
  { collection, fields: sent, target, loaded, compose }: Update,
  request: RequestContext,
): Promise<Page> {
  const isHooked = hasHooks({ event: 'beforeUpdate', collection });
  using hooks = openHookSession(deps, request, isHooked);
  const { context } = hooks;
  const prepared = isHooked ? undefined : await prepareFields(deps, { collection, sent }, context);
  let first = loaded;

  const { texts, writes, hasSubDocuments } = await commitWithRetry(
    async () => {
      const documents = first ?? (await loadTargets(deps, { collection, target }, context));
      // After a conflict the targets are read again.
      first = undefined;
      // Hooks see the documents that this attempt writes, and allow this write only.
      const body = prepared ?? (await transformFields(deps, { collection, sent, documents }, hooks));

      using nested = openSubDocumentHooks(deps, body.subDocuments, context);
      const plan = new WritePlan({ at: deps.now(), by: context.caller.clientId }, deps.generateId);
      const targets = { collection, documents, caller: context.caller };
      const { fields, issues } = await resolveUndeclared(body, targets);
      // The new state of each document is not computed for an update that is rejected anyway.
      await mapYielding(issues.length === 0 ? documents : [], (stored) =>
        plan.update(collection, stored, { fields, origin: body.origin }),
      );
      assertValid([...issues, ...(await planSubDocuments(deps, body.subDocuments, plan, nested))]);

      const hasSubDocuments = body.subDocuments.length > 0;
      // Without a match there is no document that the sub-documents could belong to.
      if (documents.length === 0) return { texts: [], writes: [], hasSubDocuments };
      const { updated, writes } = await commitPlan(deps, plan, nested.context);
      // Sub-documents were planned after the documents themselves.
      const texts = updated.slice(0, documents.length).map(({ text }) => text);
      return { texts, writes, hasSubDocuments };
    },
    { context, now: deps.now },
  );

  const depth = compose ?? (hasSubDocuments || collection.settings.compose);
  const results = await formatAnswer(deps, { collection, texts, depth, writes }, context);
  return { results, metadata: writeMetadata(results.length) };
}

interface SentFields {
  readonly collection: Collection;
  readonly sent: JsonObject;
}

/** What the hooks make of the fields, prepared. Without a target no hook runs. */
async function transformFields(
  deps: WriteDeps,
  { collection, sent, documents }: SentFields & { readonly documents: readonly StoredDocument[] },
  hooks: HookSession,
): Promise<ValidatedBody> {
  const texts = await mapYielding(documents, (document) => JSON.stringify(document));
  const at = { event: 'beforeUpdate', collection } as const;
  const fields = documents.length === 0 ? sent : await hooks.transform(at, sent, { documents: texts });
  return prepareFields(deps, { collection, sent: fields }, hooks.context);
}

/** Throws DOCUMENT_INVALID where no stored document and no sub-document can add issues. */
async function prepareFields(
  deps: WriteDeps,
  { collection, sent }: SentFields,
  { caller }: RequestContext,
): Promise<ValidatedBody> {
  const body = await validateBody(deps, { collection, mode: 'update', caller }, sent);
  if (body.subDocuments.length === 0 && body.undeclared.length === 0) assertValid(body.issues);
  return body;
}
