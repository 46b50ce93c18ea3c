// Fields of an update that the specification does not declare. A document that was fetched may have them, from an older
// specification or another program: sent back as they are stored they are no change, and anything else is a failure.
import { isDeepStrictEqual } from 'node:util';
import type { ErrorItem } from '../../errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { mapInSlices } from '../../lib/slices.ts';
import type { StoredDocument } from '../../stores/ports.ts';
import type { Collection } from '../collection.ts';
import type { Caller } from '../documents.ts';
import { undeclaredItem } from '../validate.ts';
import { placed } from './validator.ts';
import type { Origin } from './write-failure.ts';

/** The fields that an update sets, validated, and where in the request they come from. */
export interface UpdateFields {
  readonly fields: JsonObject;
  readonly items: readonly ErrorItem[];
  /** Those of `fields` that the specification does not declare. */
  readonly undeclared: readonly string[];
  readonly origin: Origin;
}

/** More of them tell nobody anything new. */
const MAX_FAILURES = 1000;

interface Stored {
  readonly collection: Collection;
  readonly documents: readonly StoredDocument[];
  readonly caller: Caller;
}

/**
 * What an update of `documents` sets, and what is wrong with it. An undeclared field is left out where all of the
 * documents hold its very value: it stays as it is stored. Who may not read them is not told that it does.
 */
export async function settleUndeclared(
  { fields, items, undeclared, origin }: UpdateFields,
  { collection, documents, caller }: Stored,
): Promise<Pick<UpdateFields, 'fields' | 'items'>> {
  if (undeclared.length === 0) return { fields, items };
  const failures: string[] = [];
  const mayCompare = documents.length > 0 && caller.may(collection, 'GET');
  if (!mayCompare) failures.push(...undeclared.slice(0, MAX_FAILURES));
  const same = new Set(undeclared);
  await mapInSlices(mayCompare ? documents : [], (document) => {
    for (const name of same) {
      if (failures.length === MAX_FAILURES) return;
      if (Object.hasOwn(document, name) && isDeepStrictEqual(document[name], fields[name])) continue;
      same.delete(name);
      failures.push(name);
    }
  });
  const names = new Set(undeclared);
  const declared = Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
  return { fields: declared, items: [...items, ...placed(failures.map(undeclaredItem), origin)] };
}
