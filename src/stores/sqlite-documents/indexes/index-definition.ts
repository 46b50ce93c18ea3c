// Compares definitions of indexes, which the catalogue keeps as JSON.
import type { IndexDefinition } from '../../ports.ts';
import type { IndexEntry } from '../data-file/catalogue.ts';

/** Sorts the members, so that equal definitions have equal JSON. */
export function canonicalDefinition({ name, keys, unique, sparse }: IndexDefinition): IndexDefinition {
  return { name, keys: keys.map(({ path, direction }) => ({ path, direction })), unique, sparse };
}

/** Whether the index was made by that definition. */
export function isDefinedAs(entry: IndexEntry, definition: IndexDefinition): boolean {
  return JSON.stringify(entry.definition) === JSON.stringify(canonicalDefinition(definition));
}
