// Fields of an update that the specification does not declare. A fetched document may have them, from an older specification
// or another program: sent back unchanged they are accepted, anything else is an issue.
import { isDeepStrictEqual } from 'node:util';
import type { ErrorItem } from '../../errors/errors.ts';
import { mapYielding } from '../../lib/async/maybe-promise.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import { undeclaredIssue, type ValidatedFields } from './validate-document.ts';

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
