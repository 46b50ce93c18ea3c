// Plans the writes of sub-documents, each to its own collection: new ones are inserted, changed ones updated, unchanged ones left
// alone.

import { isDeepStrictEqual } from 'node:util';
import { AppError, type ErrorItem } from '../../errors/errors.ts';
import { createYielder, forEachYielding } from '../../lib/async/maybe-promise.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { documentVersion, parseStoredJson } from '../../lib/json/stored-json.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import { type HookSession, openHookSession } from '../hooks/document-hooks.ts';
import { type Collection, isReference } from '../model/collection.ts';
import type { Caller, RequestContext } from '../model/documents.ts';
import { resolveUndeclared, withNameHints } from '../validation/undeclared-fields.ts';
import { stripInternalFields, validateFields, type WriteMode } from '../validation/validate-document.ts';
import { assertClosedUnchanged, type ClosedValue } from './closed-fields.ts';
import type { SubDocument } from './extract-sub-documents.ts';
import {
  createReadTest,
  createStateTest,
  documentGone,
  mayCompare,
  withoutHiddenNames,
  writeError,
} from './permitted-states.ts';
import { withPosition } from './planned-write.ts';
import type { WriteDeps } from './write-deps.ts';
import type { WritePlan } from './write-plan.ts';

/**
 * What `beforeCreate` made of new sub-documents, by what was sent and where: for all attempts of a request, since the hook depends on
 * no stored state, and may have reserved a name that it would find taken.
 */
export type HookedCreates = Map<string, JsonObject>;

/** The sub-documents of one attempt to write, and what plans them. Dispose of it when the attempt has ended. */
interface Planning extends Disposable {
  readonly plan: WritePlan;
  readonly subDocuments: readonly SubDocument[];
  /** Undefined where no collection of a sub-document has hooks. */
  readonly hooks: HookSession | undefined;
  readonly hookedCreates: HookedCreates;
  /** What the client sent for fields that it may not write. */
  readonly closed: readonly ClosedValue[];
  /** Of the documents that they are in. */
  readonly mode: WriteMode;
  /** The context of the attempt. Its deadline moves on while these hooks run. */
  readonly context: RequestContext;
}

/** Opens the planning of one attempt. There may be no sub-documents. */
export function openPlanning(
  deps: Pick<WriteDeps, 'hooks' | 'now'>,
  { plan, subDocuments, hookedCreates, closed, mode }: Omit<Planning, 'hooks' | 'context' | keyof Disposable>,
  context: RequestContext,
): Planning {
  const hooks = hasHooked(subDocuments) ? openHookSession(deps, context) : undefined;
  const dispose = () => hooks?.[Symbol.dispose]();
  return {
    plan,
    subDocuments,
    hooks,
    hookedCreates,
    closed,
    mode,
    context: hooks?.context ?? context,
    [Symbol.dispose]: dispose,
  };
}

/** True where the collection of a sub-document has hooks. */
export const hasHooked = (subDocuments: readonly SubDocument[]) =>
  subDocuments.some(({ collection }) => collection.settings.hooks !== null);

type SubDocumentDeps = Pick<WriteDeps, 'store' | 'filters' | 'matchPattern'>;
const NONE: readonly never[] = [];

/** The key of a document of one collection: another one that shares its documents may have other rules. */
const keyIn = ({ path }: Collection, id: string) => `${path}/${id.toLowerCase()}`;

/** Stored documents by `keyIn`. */
type StoredDocuments = ReadonlyMap<string, StoredDocument>;
const NONE_KNOWN: StoredDocuments = new Map();

/**
 * Adds the writes of sub-documents to the plan and resolves with their issues. Throws NOT_PERMITTED for a change that the
 * caller may not make, and DOCUMENT_CHANGED for one that was made to an older state than the stored one, or to one that is gone.
 */
export async function planSubDocuments(
  deps: SubDocumentDeps,
  planning: Planning,
): Promise<readonly ErrorItem[]> {
  const { subDocuments, context } = planning;
  if (subDocuments.length === 0) return NONE;
  const existing = subDocuments.filter(({ isNew }) => !isNew);
  const known = existing.length === 0 ? NONE_KNOWN : await loadByIds(deps, existing, context);
  const storedOf = ({ collection, id }: Pick<SubDocument, 'collection' | 'id'>) =>
    known.get(keyIn(collection, id));
  assertClosedUnchanged(planning.closed, context.caller, storedOf);
  const issues: ErrorItem[] = [];
  const yieldIfDue = createYielder();
  for (const sub of subDocuments) {
    await yieldIfDue();
    const planned = sub.isNew
      ? await planInsert(deps, sub, planning)
      : await planUpdate(deps, { sub, stored: storedOf(sub) }, planning);
    const { collection } = sub;
    const access = context.caller.access(collection);
    const hinted = withNameHints(planned, { collection, access, told: issues.length });
    issues.push(...withPosition(hinted, sub.position));
  }
  return issues;
}

/** Resolves with those of the documents that there are for the caller. They may be in several collections. */
async function loadByIds(
  { store, filters }: Pick<SubDocumentDeps, 'store' | 'filters'>,
  documents: readonly { readonly collection: Collection; readonly id: string }[],
  { caller, deadline }: RequestContext,
): Promise<StoredDocuments> {
  const found = new Map<string, StoredDocument>();
  for (const [collection, group] of Map.groupBy(documents, (one) => one.collection)) {
    const mayRead = createReadTest(caller.access(collection));
    const ids = [...new Set(group.map(({ id }) => id))];
    const texts = await store.findByIds(collection.namespace, ids, { deadline });
    await forEachYielding(ids, (id) => {
      const text = texts.get(id);
      const document = text === undefined ? undefined : parseStoredJson<StoredDocument>(text);
      if (document === undefined || !filters.isOwn(collection, document) || !mayRead(document)) return;
      found.set(keyIn(collection, id), document);
    });
  }
  return found;
}

async function planInsert(
  { matchPattern }: SubDocumentDeps,
  sub: SubDocument,
  planning: Planning,
): Promise<readonly ErrorItem[]> {
  const { collection, id, depth, position, fields: sent } = sub;
  const { plan, context } = planning;
  const own = stripReturned(await transformNew(sub, planning), sent);
  const { fields, issues } = await validateFields(collection, own, { mode: 'create', matchPattern });
  if (issues.length === 0) plan.insert(collection, { id, fields, depth }, position);
  return withoutHiddenNames(issues, context.caller.access(collection), sent);
}

/** What the `beforeCreate` hooks make of a new sub-document; undefined where there are none. */
async function transformNew(
  { collection, position, fields }: SubDocument,
  { hooks, hookedCreates }: Planning,
): Promise<JsonObject | undefined> {
  if (hooks === undefined) return undefined;
  const key = `${position.index ?? ''}/${position.prefix}${JSON.stringify(fields)}`;
  const known = hookedCreates.get(key);
  if (known !== undefined) return known;
  const hooked = await hooks.transform({ event: 'beforeCreate', collection }, fields);
  hookedCreates.set(key, hooked);
  return hooked;
}

async function planUpdate(
  { matchPattern }: SubDocumentDeps,
  { sub, stored }: { readonly sub: SubDocument; readonly stored: StoredDocument | undefined },
  { plan, hooks, mode, context }: Planning,
): Promise<readonly ErrorItem[]> {
  const { collection, position } = sub;
  const { caller } = context;
  if (stored === undefined && isUnknown(sub, mode)) return [UNKNOWN_ISSUE];
  const change = findChange(sub, stored, caller);
  if (change === undefined) return NONE;
  const documents = [change.stored];
  const isHooked = collection.settings.hooks?.beforeUpdate !== undefined;
  const texts = isHooked ? [JSON.stringify(change.stored)] : [];
  const at = { event: 'beforeUpdate', collection } as const;
  const hooked = hooks && (await hooks.transform(at, change.fields, { documents: texts }));
  const own = stripReturned(hooked, change.fields);
  const validated = await validateFields(collection, own, { mode: 'update', matchPattern });
  const access = caller.access(collection);
  const targets = { documents, mayCompare: mayCompare(access, documents) };
  const { fields, issues } = await resolveUndeclared(validated, targets);
  if (issues.length === 0) plan.update(collection, change.stored, { fields, position });
  return withoutHiddenNames(issues, access, sub.fields);
}

/** Fields that hooks returned may hold internal ones again. Sub-documents of their own are not extracted from them. */
const stripReturned = (returned: JsonObject | undefined, sent: JsonObject) =>
  returned === undefined || returned === sent ? sent : stripInternalFields(returned);

const UNKNOWN_ISSUE: ErrorItem = {
  field: '_id',
  message: 'is the id of no document: leave it out to create one',
  code: 'ERROR_VALUE_INVALID',
};

/** True for a sub-document with fields that was not fetched for this write: nobody can have removed it since. */
const isUnknown = ({ fields, v }: SubDocument, mode: WriteMode) =>
  Object.keys(fields).length > 0 && (mode === 'create' || v === undefined);

interface SubDocumentChange {
  readonly stored: StoredDocument;
  readonly fields: JsonObject;
}

/** The fields in which a sub-document differs from the stored one; undefined where it does not, or is only an id. */
function findChange(
  { collection, fields, v, position }: SubDocument,
  stored: StoredDocument | undefined,
  caller: Caller,
): SubDocumentChange | undefined {
  if (Object.keys(fields).length === 0) return undefined;
  const path = position.prefix.slice(0, -1);
  // Callers who may not read the stored document, or a field of it, are not told whether this is a change.
  const access = caller.access(collection);
  const isKnown = (name: string) => access.read !== null && !access.hidden.has(name);
  const changed = Object.entries(fields).filter(([name, value]) => {
    if (stored === undefined || !isKnown(name) || !Object.hasOwn(stored, name)) return true;
    const holdsIds = isReference(collection.fields.get(name));
    const before = stored[name];
    return !isDeepStrictEqual(holdsIds ? withoutNulls(before) : before, value);
  });
  if (changed.length === 0) return undefined;
  const mayUpdate = createStateTest(access, 'update');
  if (access.update === null || (stored !== undefined && !mayUpdate(stored))) {
    throw writeError(access, { caller, position });
  }
  if (stored === undefined) throw documentGone(position);
  if (v !== undefined && v < documentVersion(stored)) throw new AppError('DOCUMENT_CHANGED', { field: path });
  return { stored, fields: Object.fromEntries(changed) };
}

/** A list of references as composition shows it. */
function withoutNulls(value: Json | undefined): Json | undefined {
  return Array.isArray(value) ? value.filter((entry) => entry !== null) : value;
}
