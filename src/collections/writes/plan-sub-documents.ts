// Plans the writes of sub-documents, each to its own collection: new ones are inserted, changed ones updated, unchanged ones left
// alone.
import { isDeepStrictEqual } from 'node:util';
import { AppError, type ErrorItem } from '../../errors/errors.ts';
import { createYielder } from '../../lib/async/maybe-promise.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { documentVersion } from '../../lib/json/stored-json.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import { type HookSession, openHookSession } from '../hooks/document-hooks.ts';
import { documentKey, isReference } from '../model/collection.ts';
import type { RequestContext } from '../model/documents.ts';
import { resolveUndeclared } from '../validation/undeclared-fields.ts';
import { stripInternalFields, validateFields } from '../validation/validate-document.ts';
import { type SubDocument, withPosition } from './request-body.ts';
import { loadByIds, type StoredDocuments } from './targets.ts';
import type { WriteDeps } from './write-deps.ts';
import type { WritePlan } from './write-plan.ts';

/** Opens the hooks of one attempt to write sub-documents; undefined where none of their collections has any. */
export function openSubDocumentHooks(
  deps: Pick<WriteDeps, 'hooks' | 'now'>,
  subDocuments: readonly SubDocument[],
  context: RequestContext,
): HookSession | undefined {
  const isHooked = subDocuments.some(({ collection }) => collection.settings.hooks !== null);
  return isHooked ? openHookSession(deps, context) : undefined;
}

interface Planning {
  readonly plan: WritePlan;
  readonly context: RequestContext;
  readonly hooks: HookSession | undefined;
}

type SubDocumentDeps = Pick<WriteDeps, 'store' | 'matchPattern'>;
const NONE: readonly never[] = [];
const NONE_KNOWN: StoredDocuments = new Map();

/**
 * Adds the writes of sub-documents to the plan and resolves with their issues. Throws NOT_PERMITTED for a change that the
 * caller may not make, and DOCUMENT_CHANGED for one that was made to an older state than the stored one.
 */
export async function planSubDocuments(
  deps: SubDocumentDeps,
  subDocuments: readonly SubDocument[],
  planning: Planning,
): Promise<readonly ErrorItem[]> {
  const existing = subDocuments.filter(({ isNew }) => !isNew);
  const known = existing.length === 0 ? NONE_KNOWN : await loadByIds(deps, existing, planning.context);
  const issues: ErrorItem[] = [];
  const yieldIfDue = createYielder();
  for (const sub of subDocuments) {
    await yieldIfDue();
    const planned = sub.isNew
      ? await planInsert(deps, sub, planning)
      : await planUpdate(deps, { sub, known }, planning);
    issues.push(...withPosition(planned, sub.position));
  }
  return issues;
}

async function planInsert(
  { matchPattern }: SubDocumentDeps,
  { collection, id, depth, position, fields: sent }: SubDocument,
  { plan, hooks }: Planning,
): Promise<readonly ErrorItem[]> {
  const hooked = hooks && (await hooks.transform({ event: 'beforeCreate', collection }, sent));
  const own = stripReturned(hooked, sent);
  const { fields, issues } = await validateFields(collection, own, { mode: 'create', matchPattern });
  if (issues.length === 0) plan.insert(collection, { id, fields, depth }, position);
  return issues;
}

async function planUpdate(
  { matchPattern }: SubDocumentDeps,
  { sub, known }: { readonly sub: SubDocument; readonly known: StoredDocuments },
  { plan, hooks, context }: Planning,
): Promise<readonly ErrorItem[]> {
  const { collection, position } = sub;
  const stored = known.get(documentKey(collection.namespace, sub.id));
  const change = findChange(sub, stored, context);
  if (change === undefined) return NONE;
  const documents = [change.stored];
  const isHooked = collection.settings.hooks?.beforeUpdate !== undefined;
  const texts = isHooked ? [JSON.stringify(change.stored)] : [];
  const at = { event: 'beforeUpdate', collection } as const;
  const hooked = hooks && (await hooks.transform(at, change.fields, { documents: texts }));
  const own = stripReturned(hooked, change.fields);
  const validated = await validateFields(collection, own, { mode: 'update', matchPattern });
  const targets = { collection, documents, caller: context.caller };
  const { fields, issues } = await resolveUndeclared(validated, targets);
  plan.update(collection, change.stored, { fields, position });
  return issues;
}

/** Fields that hooks returned may hold internal ones again. Sub-documents of their own are not extracted from them. */
const stripReturned = (returned: JsonObject | undefined, sent: JsonObject) =>
  returned === undefined || returned === sent ? sent : stripInternalFields(returned);

interface SubDocumentChange {
  readonly stored: StoredDocument;
  readonly fields: JsonObject;
}

/** The fields in which a sub-document differs from the stored one; undefined where it does not, or is only an id. */
function findChange(
  { collection, fields, v, position }: SubDocument,
  stored: StoredDocument | undefined,
  { caller }: RequestContext,
): SubDocumentChange | undefined {
  if (Object.keys(fields).length === 0) return undefined;
  const path = position.prefix.slice(0, -1);
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

/** A list of references as composition shows it. */
function withoutNulls(value: Json | undefined): Json | undefined {
  return Array.isArray(value) ? value.filter((entry) => entry !== null) : value;
}
