// Plans the writes of sub-documents: new ones are inserted, changed ones updated, unchanged ones left alone.
import { isDeepStrictEqual } from 'node:util';
import { AppError, type ErrorItem } from '../../errors/errors.ts';
import { createYielder, mapYielding } from '../../lib/async/yielding.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { documentVersion, parseStoredJson } from '../../lib/json/stored-json.ts';
import { filterByIds } from '../../stores/filter.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import { type HookSession, hasHooks, openHookSession } from '../hooks/hook-session.ts';
import type { RequestContext } from '../model/documents.ts';
import { documentKey, isReference } from '../model/registry.ts';
import { resolveUndeclared } from '../validation/undeclared-fields.ts';
import { stripInternalFields, validateFields } from '../validation/validate-document.ts';
import type { WriteDeps } from './commit.ts';
import type { SubDocument } from './prepare.ts';
import type { WritePlan } from './write-plan.ts';

type SubDocumentDeps = Pick<WriteDeps, 'store' | 'matchPattern'>;
type StoredDocuments = ReadonlyMap<string, StoredDocument>;

const NONE: readonly never[] = [];

/** Opens the hooks of one attempt to write sub-documents. */
export function openSubDocumentHooks(
  deps: Pick<WriteDeps, 'hooks' | 'now'>,
  subDocuments: readonly SubDocument[],
  context: RequestContext,
): HookSession {
  const isHooked = subDocuments.some(({ collection }) => collection.settings.hooks !== null);
  return openHookSession(deps, context, isHooked);
}

/**
 * Adds the writes of sub-documents to the plan and resolves with their issues. Throws NOT_PERMITTED for a change that the
 * caller may not make, and DOCUMENT_CHANGED for one that was made to an older state than the stored one.
 */
export async function planSubDocuments(
  deps: SubDocumentDeps,
  subDocuments: readonly SubDocument[],
  plan: WritePlan,
  hooks: HookSession,
): Promise<readonly ErrorItem[]> {
  if (subDocuments.length === 0) return NONE;
  const known = await loadStored(
    deps,
    subDocuments.filter(({ isNew }) => !isNew),
    hooks.context,
  );
  const issues: ErrorItem[] = [];
  const yieldIfDue = createYielder();
  for (const sub of subDocuments) {
    await yieldIfDue();
    const planned = sub.isNew
      ? await planInsert(deps, sub, plan, hooks)
      : await planUpdate(deps, { sub, known }, plan, hooks);
    issues.push(...planned);
  }
  return issues;
}

async function planInsert(
  { matchPattern }: SubDocumentDeps,
  { collection, id, depth, origin, ...sub }: SubDocument,
  plan: WritePlan,
  hooks: HookSession,
): Promise<readonly ErrorItem[]> {
  const sent = await hooks.transform({ event: 'beforeCreate', collection }, sub.fields);
  const options = { mode: 'create', origin, matchPattern } as const;
  const { fields, issues } = await validateFields(collection, settable(sent, sub.fields), options);
  if (issues.length === 0) plan.insert(collection, { id, fields, depth }, origin);
  return issues;
}

async function planUpdate(
  { matchPattern }: SubDocumentDeps,
  { sub, known }: { readonly sub: SubDocument; readonly known: StoredDocuments },
  plan: WritePlan,
  hooks: HookSession,
): Promise<readonly ErrorItem[]> {
  const { collection, origin } = sub;
  const stored = known.get(documentKey(collection.namespace, sub.id));
  const change = findChange(sub, stored, hooks.context);
  if (change === undefined) return NONE;
  const documents = [change.stored];
  const at = { event: 'beforeUpdate', collection } as const;
  const texts = hasHooks(at) ? [JSON.stringify(change.stored)] : [];
  const sent = await hooks.transform(at, change.fields, { documents: texts });
  const options = { mode: 'update', origin, matchPattern } as const;
  const validated = await validateFields(collection, settable(sent, change.fields), options);
  const targets = { collection, documents, caller: hooks.context.caller };
  const { fields, issues } = await resolveUndeclared({ ...validated, origin }, targets);
  plan.update(collection, change.stored, { fields, origin });
  return issues;
}

/** Fields that hooks returned may hold internal ones again. Sub-documents of their own are not extracted from them. */
const settable = (returned: JsonObject, sent: JsonObject) =>
  returned === sent ? sent : stripInternalFields(returned);

async function loadStored(
  { store }: Pick<SubDocumentDeps, 'store'>,
  subDocuments: readonly SubDocument[],
  { deadline }: RequestContext,
): Promise<StoredDocuments> {
  const found = new Map<string, StoredDocument>();
  for (const [collection, group] of Map.groupBy(subDocuments, (sub) => sub.collection)) {
    const ids = [...new Set(group.map(({ id }) => id))];
    const query = { filter: filterByIds(ids), sort: [], skip: 0, limit: ids.length };
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

interface SubDocumentChange {
  readonly stored: StoredDocument;
  readonly fields: JsonObject;
}

/** The fields in which a sub-document differs from the stored one; undefined where it does not, or is only an id. */
function findChange(
  { collection, fields, v, origin }: SubDocument,
  stored: StoredDocument | undefined,
  { caller }: RequestContext,
): SubDocumentChange | undefined {
  if (Object.keys(fields).length === 0) return undefined;
  const path = origin.prefix.slice(0, -1);
  // Callers who may not read the stored document are not told whether this is a change.
  const mayCompare = caller.may(collection, 'GET');
  const changed = Object.entries(fields).filter(([name, value]) => {
    if (!mayCompare || stored === undefined || !Object.hasOwn(stored, name)) return true;
    const holdsIds = isReference(collection.fields.get(name));
    const before = stored[name];
    return !isDeepStrictEqual(holdsIds ? withoutNulls(before) : before, value);
  });
  if (changed.length === 0) return undefined;
  if (!caller.may(collection, 'PUT')) throw new AppError('NOT_PERMITTED', { field: path });
  if (stored === undefined || (v !== undefined && v < documentVersion(stored))) {
    throw new AppError('DOCUMENT_CHANGED', { field: path });
  }
  return { stored, fields: Object.fromEntries(changed) };
}
