// Holds the states of written documents against the access rules: as they are stored, and as they would be. And what a caller may be
// told of them.
import { AppError, type ErrorItem } from '../../errors/errors.ts';
import type { AccessAction } from '../../lib/access-actions.ts';
import { forEachYielding, type MaybePromise } from '../../lib/async/maybe-promise.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { MATCH_ALL } from '../../stores/filter.ts';
import { createPredicate } from '../../stores/matching/filter-predicate.ts';
import { type CollectionAccess, notPermitted } from '../model/access.ts';
import type { Collection } from '../model/collection.ts';
import type { Caller } from '../model/documents.ts';
import { type BodyPosition, indexMember, type PlannedWrite } from './planned-write.ts';
import type { WriteDeps } from './write-deps.ts';

type StateTest = (state: JsonObject) => boolean;

const always: StateTest = () => true;
const never: StateTest = () => false;

/** Makes the test whether the caller may do this with a document in a state. */
export function createStateTest(access: CollectionAccess, action: AccessAction | 'findable'): StateTest {
  const filter = access[action];
  if (filter === MATCH_ALL) return always;
  return filter === null ? never : createPredicate(filter);
}

/** Makes the test whether writes may show, or find, a document for the caller. */
export const createReadTest = (access: CollectionAccess): StateTest => createStateTest(access, 'findable');

/** Whether the caller may be told which of the fields that it sent the documents hold already. */
export function mayCompare(access: CollectionAccess, documents: readonly JsonObject[]): boolean {
  return documents.length > 0 && documents.every(createStateTest(access, 'read'));
}

/** What the caller may do by the rules that are in force now: another specification may have come since the request began. */
export function presentAccess(
  { registry }: { readonly registry: Pick<WriteDeps['registry'], 'get'> },
  caller: Caller,
  collection: Collection,
): CollectionAccess {
  const { version, database, name } = collection;
  return caller.access(registry.get(version, database, name) ?? collection);
}

/** The error for a caller who may not write the document, or its field, at this place of the request. */
export function writeError(
  access: Pick<CollectionAccess, 'isRuled'>,
  { caller, position }: { readonly caller: Caller; readonly position: BodyPosition },
  field = position.prefix.slice(0, -1),
): AppError {
  const error = notPermitted(access, caller, ...(field === '' ? [] : [field]));
  if (position.index === undefined || !access.isRuled) return error;
  const items = error.items.map((item) => ({ ...item, ...indexMember(position) }));
  return new AppError('NOT_PERMITTED', { status: error.status, items });
}

/**
 * Throws unless the caller may do this with a document in its stored state: DOCUMENT_NOT_FOUND, as for an unknown id, where it may
 * not read it either, else NOT_PERMITTED.
 */
export function assertPermittedTarget(
  access: CollectionAccess,
  action: AccessAction,
  { caller, stored }: { readonly caller: Caller; readonly stored: JsonObject },
): void {
  if (access[action] === MATCH_ALL || createStateTest(access, action)(stored)) return;
  throw createReadTest(access)(stored) ? notPermitted(access, caller) : new AppError('DOCUMENT_NOT_FOUND');
}

/** The rules of a collection for one caller, each compiled once. */
interface Rules {
  readonly access: CollectionAccess;
  allows(action: AccessAction, states: readonly (JsonObject | undefined)[]): boolean;
}

function createRules(access: CollectionAccess): Rules {
  const tests = new Map<AccessAction, StateTest>();
  return {
    access,
    allows(action, states) {
      const test = tests.get(action) ?? createStateTest(access, action);
      tests.set(action, test);
      return states.every((state) => state === undefined || test(state));
    },
  };
}

/** True where the rules allow a write: in the states of the document before and after it. */
function isPermitted({ write, stored, step }: PlannedWrite, rules: Rules): boolean {
  const after = write.kind === 'remove' ? undefined : write.document;
  switch (step) {
    case 'insert':
      // A removed document that comes back is changed as well.
      return (
        rules.allows('create', [after]) && (stored === undefined || rules.allows('update', [stored, after]))
      );
    case 'update':
      return rules.allows('update', [stored, after]);
    case 'remove':
      return rules.allows('delete', [stored]);
    default:
      return true;
  }
}

/** The error for a sub-document that was fetched and does not exist any more. */
export const documentGone = ({ prefix }: BodyPosition) =>
  new AppError('DOCUMENT_CHANGED', {
    field: prefix.slice(0, -1),
    message: 'The document does not exist any more',
  });

/**
 * Throws unless the rules allow all writes of a commit: those that are in force now, on the states that are committed. Where no
 * collection has rules nothing is looked at.
 */
export function assertPermittedWrites(
  deps: { readonly registry: Pick<WriteDeps['registry'], 'get'> },
  planned: readonly PlannedWrite[],
  caller: Caller,
): MaybePromise<void> {
  const known = new Map<Collection, Rules | undefined>();
  let isRuled = false;
  for (const { collections } of planned) {
    for (const collection of collections) {
      if (known.has(collection)) continue;
      const access = presentAccess(deps, caller, collection);
      known.set(collection, access.isRuled ? createRules(access) : undefined);
      isRuled ||= access.isRuled;
    }
  }
  if (!isRuled) return undefined;
  return forEachYielding(planned, (one) => {
    for (const collection of one.collections) {
      const rules = known.get(collection);
      if (rules === undefined || isPermitted(one, rules)) continue;
      const { stored, position } = one;
      if (stored === undefined || rules.allows('read', [stored])) {
        throw writeError(rules.access, { caller, position });
      }
      throw position.prefix === '' ? new AppError('DOCUMENT_NOT_FOUND') : documentGone(position);
    }
  });
}

/** The issues of a document, which do not name fields that the caller may not read, unless it sent them itself. */
export function withoutHiddenNames(
  issues: readonly ErrorItem[],
  { hidden }: Pick<CollectionAccess, 'hidden'>,
  sent: JsonObject = {},
): readonly ErrorItem[] {
  if (issues.length === 0 || hidden.size === 0) return issues;
  return issues.map(({ field, message, details, ...issue }) => {
    const [name = ''] = field?.split('.', 1) ?? [];
    if (!hidden.has(name) || Object.hasOwn(sent, name)) {
      return {
        ...(field !== undefined && { field }),
        message,
        ...issue,
        ...(details !== undefined && { details }),
      };
    }
    return { message: 'A field that you may not read has no valid value', ...issue };
  });
}
