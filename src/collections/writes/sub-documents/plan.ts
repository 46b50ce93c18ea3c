// What becomes of sub-documents: new ones are inserted, changed ones updated, unchanged ones left alone.
import { isDeepStrictEqual } from 'node:util';
import { AppError, type ErrorItem } from '../../../errors.ts';
import { createYielder, mapYielding } from '../../../lib/async/yielding.ts';
import { documentVersion } from '../../../lib/document-version.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { parseStoredJson } from '../../../lib/json/stored-json.ts';
import type { DocumentStore, StoredDocument } from '../../../stores/ports.ts';
import { type HookPoint, type HookSession, hasHooks } from '../../hooks/hook-session.ts';
import type { RequestContext } from '../../model/documents.ts';
import { isReference } from '../../model/references.ts';
import { documentKey } from '../../model/registry.ts';
import { resolveUndeclared } from '../../validation/undeclared-fields.ts';
import { stripInternalFields } from '../../validation/validate-document.ts';
import type { Validator } from '../../validation/validator.ts';
import type { WritePlan } from '../write-plan.ts';
import type { SubDocument } from './extract.ts';

interface SubDocumentDeps {
  readonly store: Pick<DocumentStore, 'findText'>;
  readonly validator: Validator;
  readonly context: RequestContext;
  /** There when a sub-document belongs to a collection with hooks. */
  readonly session: HookSession | undefined;
}

/**
 * Adds the writes of sub-documents to the plan, and returns what is wrong with them. Throws NOT_PERMITTED for a change
 * that the caller may not make, and DOCUMENT_CHANGED for one made to an older state than the stored one.
 */
export async function planSubDocuments(
  subDocuments: readonly SubDocument[],
  plan: WritePlan,
  { store, validator, context, session }: SubDocumentDeps,
): Promise<readonly ErrorItem[]> {
  const known = await loadStored(
    subDocuments.filter(({ isNew }) => !isNew),
    store,
    context,
  );
  const items: ErrorItem[] = [];
  const pace = createYielder();
  for (const sub of subDocuments) {
    await pace();
    const { collection, id, isNew, origin, depth } = sub;
    if (isNew) {
      const fields = await runHooks({ event: 'beforeCreate', collection }, sub.fields, { session });
      const checked = await validator.validate(collection, fields, { mode: 'create', origin });
      items.push(...checked.items);
      if (checked.items.length === 0) {
        plan.insert(collection, { id, fields: checked.document, depth }, origin);
      }
      continue;
    }
    const change = findChange({ sub, stored: known.get(documentKey(collection.namespace, id)) }, context);
    if (change === undefined) continue;
    const about = { session, stored: change.stored };
    const fields = await runHooks({ event: 'beforeUpdate', collection }, change.fields, about);
    const checked = await validator.validate(collection, fields, { mode: 'update', origin });
    const asked = { ...checked, fields: checked.document, origin };
    const stored = { collection, documents: [change.stored], caller: context.caller };
    const settled = await resolveUndeclared(asked, stored);
    items.push(...settled.items);
    plan.update(collection, change.stored, { fields: settled.fields, origin });
  }
  return items;
}

/** What hooks make of the fields of a sub-document. Sub-documents of their own are not taken out of it again. */
async function runHooks(
  at: HookPoint,
  fields: JsonObject,
  { session, stored }: { readonly session: HookSession | undefined; readonly stored?: StoredDocument },
): Promise<JsonObject> {
  if (session === undefined || !hasHooks(at)) return fields;
  const about = stored === undefined ? {} : { documents: [JSON.stringify(stored)] };
  return stripInternalFields(await session.transform(at, fields, about));
}

async function loadStored(
  subDocuments: readonly SubDocument[],
  store: Pick<DocumentStore, 'findText'>,
  { deadline }: RequestContext,
): Promise<ReadonlyMap<string, StoredDocument>> {
  const found = new Map<string, StoredDocument>();
  for (const [collection, group] of Map.groupBy(subDocuments, (sub) => sub.collection)) {
    const values = [...new Set(group.map(({ id }) => id))];
    const filter = { kind: 'field' as const, path: '_id', tests: [{ kind: 'in' as const, values }] };
    const query = { filter, sort: [], skip: 0, limit: values.length };
    const texts = await store.findText(collection.namespace, query, { deadline });
    for (const document of await mapYielding(texts, parseStoredJson<StoredDocument>)) {
      found.set(documentKey(collection.namespace, document._id), document);
    }
  }
  return found;
}

/** A list of references as composition shows it. */
function withoutNulls(value: Json | undefined): Json | undefined {
  return Array.isArray(value) ? value.filter((entry) => entry !== null) : value;
}

interface SubChange {
  readonly stored: StoredDocument;
  readonly fields: JsonObject;
}

/** The fields in which a sub-document differs from what is stored; undefined when it is just its id. */
function findChange(
  { sub, stored }: { readonly sub: SubDocument; readonly stored: StoredDocument | undefined },
  { caller }: RequestContext,
): SubChange | undefined {
  const { collection, fields, origin } = sub;
  if (Object.keys(fields).length === 0) return undefined;
  const path = origin.prefix.slice(0, -1);
  // Whether a change is one must not be told to those who may not read what is stored.
  const mayCompare = caller.may(collection, 'GET');
  const different = Object.entries(fields).filter(([name, value]) => {
    if (!mayCompare || stored === undefined || !Object.hasOwn(stored, name)) return true;
    const before = stored[name];
    return !isDeepStrictEqual(
      isReference(collection.fields.get(name)) ? withoutNulls(before) : before,
      value,
    );
  });
  if (different.length === 0) return undefined;
  if (!caller.may(collection, 'PUT')) throw new AppError('NOT_PERMITTED', { field: path });
  if (stored === undefined || (sub.v !== undefined && sub.v < documentVersion(stored))) {
    throw new AppError('DOCUMENT_CHANGED', { field: path });
  }
  return { stored, fields: Object.fromEntries(different) };
}
