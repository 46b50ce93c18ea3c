// `$unset` of an update: the names of fields that the update removes.
import type { ErrorItem } from '../../errors/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { type Collection, INTERNAL_FIELDS } from '../model/collection.ts';
import { recordFieldType } from '../model/media-record-fields.ts';
import { fieldIssue } from '../validation/validate-document.ts';
import type { WriteDeps } from './write-deps.ts';

/** The member of an update that names the fields to remove. */
export const UNSET = '$unset';
/** Names of one update that are reported. */
const MAX_ISSUES = 1000;

export interface UpdateParts {
  /** The fields to set. */
  readonly sent: JsonObject;
  /** The names of fields to remove, without repetitions and those with issues. */
  readonly removed: readonly string[];
  readonly issues: readonly ErrorItem[];
}

const NONE: readonly never[] = [];

const invalid = (field: string, message: string): ErrorItem => ({
  field,
  message,
  code: 'ERROR_VALUE_INVALID',
});

/** Takes `$unset` out of an update, and checks it as far as that needs no stored document. */
export function splitUpdate(
  collection: Collection,
  update: JsonObject,
  registry: Pick<WriteDeps['registry'], 'holdsRecords'>,
): UpdateParts {
  if (!Object.hasOwn(update, UNSET)) return { sent: update, removed: NONE, issues: NONE };
  const { [UNSET]: list = null, ...sent } = update;
  const names = readNames(list);
  if (names === undefined) {
    const issue = invalid(UNSET, 'must be a list of names of fields');
    return { sent, removed: NONE, issues: [issue] };
  }
  const named = [...new Set(names)];
  const isRecord = registry.holdsRecords(collection);
  const issues: ErrorItem[] = [];
  const removed = named.filter((name) => {
    const issue = checkName(collection, name, { sent, isRecord });
    if (issue !== undefined && issues.length < MAX_ISSUES) issues.push(issue);
    return issue === undefined;
  });
  return { sent, removed, issues };
}

function readNames(list: Json): readonly string[] | undefined {
  if (!Array.isArray(list) || isJsonObject(list)) return undefined;
  const names = list.filter((name: Json) => typeof name === 'string');
  return names.length === list.length ? names : undefined;
}

function checkName(
  { fields }: Collection,
  name: string,
  { sent, isRecord }: { readonly sent: JsonObject; readonly isRecord: boolean },
): ErrorItem | undefined {
  if (INTERNAL_FIELDS.includes(name) || (isRecord && recordFieldType(name) !== undefined)) {
    return invalid(name, 'cannot be removed: only the server writes it');
  }
  if (Object.hasOwn(sent, name)) return invalid(name, 'cannot be set and removed at once');
  const field = fields.get(name);
  if (field?.required) return fieldIssue(field, 'must be specified', 'ERROR_REQUIRED');
  if (field === undefined && name.includes('.')) {
    return invalid(name, 'cannot be removed: `$unset` takes names of fields, not what is in them');
  }
  return undefined;
}
