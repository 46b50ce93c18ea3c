// Holds a validated update against the documents that it is for. What is sent as it is stored needs not obey the rules of today: a
// fetched document can be sent back, also where its specification has become stricter or has dropped a field since.

import { isDeepStrictEqual } from 'node:util';
import type { ErrorItem } from '../../errors/errors.ts';
import { mapYielding } from '../../lib/async/maybe-promise.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import type { CollectionAccess } from '../model/access.ts';
import type { Collection } from '../model/collection.ts';
import type { Caller } from '../model/documents.ts';
import { resolveUndeclared, withNameHints } from '../validation/undeclared-fields.ts';
import { undeclaredIssue, type ValidatedFields, validateFields } from '../validation/validate-document.ts';
import { mayCompare, withoutHiddenNames } from './permitted-states.ts';
import type { WriteDeps } from './write-deps.ts';

interface UpdateTargets {
  readonly collection: Collection;
  /** The documents that the update is for, as stored. */
  readonly documents: readonly StoredDocument[];
  readonly caller: Caller;
}

interface SentUpdate {
  /** What the client sent, before hooks. */
  readonly client: JsonObject;
  /** What hooks made of it, sub-documents replaced by their ids. */
  readonly sent: JsonObject;
  /** What validation made of it. */
  readonly validated: ValidatedFields;
  /** Names of fields to remove. */
  readonly removed: readonly string[];
  /** The state of a revision that is restored: its fields may be set though no specification declares them any more. */
  readonly restored?: JsonObject | undefined;
}

interface ResolvedUpdate {
  readonly fields: JsonObject;
  readonly issues: readonly ErrorItem[];
}

/**
 * The fields that an update sets, and all issues. Left out are fields that break a rule, or are not declared, and that every
 * document holds as they were sent: they stay as stored. Callers who may not read the documents are not told what is the same.
 */
export async function resolveUpdate(
  { matchPattern }: Pick<WriteDeps, 'matchPattern'>,
  update: SentUpdate,
  targets: UpdateTargets,
): Promise<ResolvedUpdate> {
  const { collection, documents, caller } = targets;
  const access = caller.access(collection);
  const { issues: found, undeclared: unknownSet } = update.validated;
  const isDoubtful = found.length > 0 || unknownSet.length > 0 || update.removed.length > 0;
  const isComparable = isDoubtful && mayCompare(access, documents);
  const compared = { ...targets, hidden: access.hidden };
  const validated = isComparable
    ? await withoutUnchanged({ matchPattern }, update, compared)
    : update.validated;
  const { restored = {} } = update;
  const isRestored = (name: string) => isSame(restored, name, validated.fields[name]);
  const undeclared = validated.undeclared.filter((name) => !isRestored(name));
  const compare = { documents, mayCompare: isComparable };
  const { fields, issues } = await resolveUndeclared({ ...validated, undeclared }, compare);
  const unknown = await findUnknown(update.removed, targets, isComparable);
  const told = withoutHiddenNames(issues, access, update.client);
  const all = unknown.length === 0 ? told : [...told, ...unknown.map(undeclaredIssue)];
  return { fields, issues: withNameHints(all, { collection, access }) };
}

const isSame = (document: JsonObject, name: string, value: Json | undefined) =>
  Object.hasOwn(document, name) && isDeepStrictEqual(document[name], value);

/** Validates again without the fields with issues that every document has as they were sent, until there are none of them. */
async function withoutUnchanged(
  { matchPattern }: Pick<WriteDeps, 'matchPattern'>,
  { sent, validated }: SentUpdate,
  { collection, documents, hidden }: UpdateTargets & Pick<CollectionAccess, 'hidden'>,
): Promise<ValidatedFields> {
  let left = sent;
  let current = validated;
  while (current.issues.length > 0) {
    const names = current.issues.map(({ field = '' }) => field);
    const suspects = new Set(names.filter((name) => Object.hasOwn(left, name) && !hidden.has(name)));
    await mapYielding(documents, (document) => {
      for (const name of suspects) if (!isSame(document, name, left[name])) suspects.delete(name);
    });
    if (suspects.size === 0) break;
    left = Object.fromEntries(Object.entries(left).filter(([name]) => !suspects.has(name)));
    current = await validateFields(collection, left, { mode: 'update', matchPattern });
  }
  return current;
}

/** Names to remove that neither the specification nor any of the documents knows. */
async function findUnknown(
  removed: readonly string[],
  { collection, documents }: UpdateTargets,
  isComparable: boolean,
): Promise<readonly string[]> {
  const unknown = new Set(removed.filter((name) => !collection.fields.has(name)));
  if (unknown.size === 0 || !isComparable) return [...unknown];
  await mapYielding(documents, (document) => {
    for (const name of unknown) if (Object.hasOwn(document, name)) unknown.delete(name);
  });
  return [...unknown];
}
