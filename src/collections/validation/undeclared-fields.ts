// Fields of an update that the specification does not declare. A document that was fetched may have them, from an older
// specification or another program: sent back as they are stored they are no change, and anything else is a failure.
import { isDeepStrictEqual } from 'node:util';
import type { ErrorItem } from '../../errors.ts';
import { mapYielding } from '../../lib/async/yielding.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import type { Collection } from '../model/collection.ts';
import type { Caller } from '../model/documents.ts';
import type { WriteOrigin } from '../writes/commit-errors.ts';
import { undeclaredIssue } from './validate-document.ts';
import { withPosition } from './validator.ts';

/** The fields that an update sets, validated, and where in the request they come from. */
export interface UpdateFields {
  readonly fields: JsonObject;
  readonly items: readonly ErrorItem[];
  /** Those of `fields` that the specification does not declare. */
  readonly undeclared: readonly string[];
  readonly origin: WriteOrigin;
}

/** More of them tell nobody anything new. */
const MAX_ISSUES = 1000;

interface Stored {
  readonly collection: Collection;
  readonly documents: readonly StoredDocument[];
  readonly caller: Caller;
}

/**
 * What an update of `documents` sets, and what is wrong with it. An undeclared field is left out where all of the
 * documents hold its very value: it stays as it is stored. Who may not read them is not told that it does.
 */
export async function resolveUndeclared(
  { fields, items, undeclared, origin }: UpdateFields,
  { collection, documents, caller }: Stored,
): Promise<Pick<UpdateFields, 'fields' | 'items'>> {
  if (undeclared.length === 0) return { fields, items };
  const failures: string[] = [];
  const mayCompare = documents.length > 0 && caller.may(collection, 'GET');
  if (!mayCompare) failures.push(...undeclared.slice(0, MAX_ISSUES));
  const same = new Set(undeclared);
  await mapYielding(mayCompare ? documents : [], (document) => {
    for (const name of same) {
      if (failures.length === MAX_ISSUES) return;
      if (Object.hasOwn(document, name) && isDeepStrictEqual(document[name], fields[name])) continue;
      same.delete(name);
      failures.push(name);
    }
  });
  const names = new Set(undeclared);
  const declared = Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
  return { fields: declared, items: [...items, ...withPosition(failures.map(undeclaredIssue), origin)] };
}
