// Fields that the specification does not declare. A fetched document may have them, from an older specification or another program: an
// update that sends them back unchanged is accepted, anything else is an issue, with the field that was probably meant.
import { isDeepStrictEqual } from 'node:util';
import type { ErrorItem } from '../../errors/errors.ts';
import { mapYielding } from '../../lib/async/maybe-promise.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { findNearestName } from '../../lib/nearest-name.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import type { CollectionAccess } from '../model/access.ts';
import type { Collection } from '../model/collection.ts';
import { NOT_IN_SCHEMA, undeclaredIssue, type ValidatedFields } from './validate-document.ts';

/** Undeclared fields that are reported. */
const MAX_ISSUES = 1000;

interface UpdateTargets {
  /** The documents that the update is for, as stored. */
  readonly documents: readonly StoredDocument[];
  /** Whether the caller may read all of them. */
  readonly mayCompare: boolean;
}

interface ResolvedFields {
  readonly fields: JsonObject;
  readonly issues: readonly ErrorItem[];
}

/**
 * The fields that an update of `documents` sets, and all issues. An undeclared field is left out where every document has
 * the same value, so that it stays as stored. Callers who may not read the documents are not told whether it is the same.
 */
export async function resolveUndeclared(
  { fields, issues, undeclared }: ValidatedFields,
  { documents, mayCompare }: UpdateTargets,
): Promise<ResolvedFields> {
  if (undeclared.length === 0) return { fields, issues };
  const changed: string[] = [];
  if (!mayCompare) changed.push(...undeclared.slice(0, MAX_ISSUES));
  const unchanged = new Set(undeclared);
  await mapYielding(mayCompare ? documents : [], (document) => {
    for (const name of unchanged) {
      if (changed.length === MAX_ISSUES) return;
      if (Object.hasOwn(document, name) && isDeepStrictEqual(document[name], fields[name])) continue;
      unchanged.delete(name);
      changed.push(name);
    }
  });
  const names = new Set(undeclared);
  const declared = Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
  return { fields: declared, issues: [...issues, ...changed.map(undeclaredIssue)] };
}

/** Items of one error that get a hint: a body may have a thousand unknown fields, each to be compared with a thousand. */
const MAX_HINTS = 20;

/** The names of a collection's fields that the caller may read. */
function* readableNames({ fields }: Collection, { read, hidden }: NamesAccess): Generator<string> {
  if (read === null) return;
  for (const name of fields.keys()) if (!hidden.has(name)) yield name;
}

type NamesAccess = Pick<CollectionAccess, 'read' | 'hidden'>;

interface HintOptions {
  readonly collection: Collection;
  readonly access: NamesAccess;
  readonly told?: number;
}

/**
 * The issues of documents of one collection, those of undeclared fields with `details` that name the field that was probably
 * meant. `told`: issues of the same error before them.
 */
export function withNameHints(
  issues: readonly ErrorItem[],
  { collection, access, told = 0 }: HintOptions,
): readonly ErrorItem[] {
  let left = MAX_HINTS - told;
  if (issues.length === 0 || left <= 0) return issues;
  return issues.map((issue) => {
    if (issue.code !== NOT_IN_SCHEMA || issue.field === undefined || left <= 0) return issue;
    left -= 1;
    const meant = findNearestName(issue.field, readableNames(collection, access));
    return meant === undefined ? issue : { ...issue, details: `did you mean \`${meant}\`?` };
  });
}
