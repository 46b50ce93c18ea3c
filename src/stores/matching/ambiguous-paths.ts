// Documents that no index can hold, because a number in its path is both a position of a list and a name in one of the elements.
import { StoreError } from '../../errors/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { PathPart } from './paths.ts';

/** Whether a part of the path is a number: no other path can be ambiguous. */
export const isNumbered = (parts: readonly PathPart[]): boolean =>
  parts.some(({ position }) => position >= 0);

function isAmbiguous(value: Json | undefined, parts: readonly PathPart[], at: number): boolean {
  const part = parts[at];
  if (part === undefined || typeof value !== 'object' || value === null) return false;
  if (isJsonObject(value)) {
    return Object.hasOwn(value, part.name) && isAmbiguous(value[part.name], parts, at + 1);
  }
  const { name, position } = part;
  if (position < 0 || position >= value.length) {
    return value.some((element) => isJsonObject(element) && isAmbiguous(element, parts, at));
  }
  const isName = value.some((element) => isJsonObject(element) && Object.hasOwn(element, name));
  return isName || isAmbiguous(value[position], parts, at + 1);
}

/**
 * Throws a `parallel-arrays` StoreError where one of the paths of an index is ambiguous in the document. MongoDB refuses such a
 * document; what it does not index can be filtered and sorted by all the same.
 */
export function assertUnambiguous(document: JsonObject, paths: readonly (readonly PathPart[])[]): void {
  const found = paths.find((parts) => isNumbered(parts) && isAmbiguous(document, parts, 0));
  if (found === undefined) return;
  const path = found.map(({ name }) => name).join('.');
  throw new StoreError('parallel-arrays', {
    fields: [path],
    explanation: `has a number that is a position of a list and a name in one of its elements: no index on \`${path}\` can hold it`,
  });
}
