// Names of the internals for collections whose clients know them with an underscore, as later versions of the older server had
// them (`settings.internals: "underscored"`). Only names that clients send and get change: documents are stored as all others.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { UNDERSCORED_INTERNALS } from '../../lib/underscored-internals.ts';
import {
  type Collection,
  type CollectionRegistry,
  isReference,
  referenceTarget,
} from '../model/collection.ts';

/** The internal that each name outside stands for; `_id` has one name. */
const INSIDE: ReadonlyMap<string, string> = new Map([...UNDERSCORED_INTERNALS, ['_composed', 'composed']]);
const OUTSIDE: ReadonlyMap<string, string> = new Map(
  [...INSIDE].map(([outside, inside]) => [inside, outside]),
);

/** Names that no field of such a collection may have. */
export const UNDERSCORED_NAMES: readonly string[] = [...INSIDE.keys()];

type Registry = Pick<CollectionRegistry, 'get'>;
type Fields = Pick<Collection, 'fields'> | undefined;

/** A path as it is inside: its first name, and behind a reference that of the document there. */
export function insidePath(path: string, of: Fields): string {
  const [first = '', ...rest] = path.split('.');
  const name = INSIDE.get(first) ?? first;
  if (rest.length === 0) return name;
  const inner = rest.join('.');
  return `${name}.${isReference(of?.fields.get(first)) ? insidePath(inner, undefined) : inner}`;
}

/** An object of paths, such as `fields` or `sort`, with the names inside. */
export function insideNames(object: JsonObject, of: Fields): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([path, value]) => [insidePath(path, of), value]));
}

/** A filter with the names inside. Operators of fields are left alone, those that join filters are gone into. */
export function insideFilter(filter: Json, of: Fields): Json {
  if (!isJsonObject(filter)) return filter;
  const entries = Object.entries(filter).map(([path, value]) => {
    if (!path.startsWith('$')) return [insidePath(path, of), value] as const;
    const joined = Array.isArray(value)
      ? (value as readonly Json[]).map((each) => insideFilter(each, of))
      : value;
    return [path, joined] as const;
  });
  return Object.fromEntries(entries);
}

/** A name of `sort`, or an object of them. */
export function insideSort(sort: string | JsonObject, of: Fields): string | JsonObject {
  return typeof sort === 'string' ? insidePath(sort, of) : insideNames(sort, of);
}

/** The names outside of an object of internals and fields, in its order. */
export function outsideNames<T>(object: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [OUTSIDE.get(name) ?? name, value]),
  );
}

/** Renames the members of documents, and of those that are composed into them. */
function renameDocuments(names: ReadonlyMap<string, string>, registry: Registry) {
  const rename = (document: JsonObject, of: Collection | undefined): JsonObject =>
    Object.fromEntries(
      Object.entries(document).map(([name, value]) => {
        const inside = INSIDE.get(name) ?? name;
        const other = names.get(name) ?? name;
        // Revisions are states of the document itself.
        if (inside === 'history') return [other, renameValue(value, of)];
        const field = of?.fields.get(name);
        if (of === undefined || !isReference(field)) return [other, value];
        return [other, renameValue(value, referenceTarget(registry, of, field))];
      }),
    );
  const renameValue = (value: Json, of: Collection | undefined): Json => {
    if (Array.isArray(value)) return (value as readonly Json[]).map((each) => renameValue(each, of));
    return isJsonObject(value) ? rename(value, of) : value;
  };
  return renameValue;
}

/** Makes the functions that rename documents on their way out and in. */
export function createDocumentRenaming(registry: Registry) {
  return {
    outside: renameDocuments(OUTSIDE, registry),
    inside: renameDocuments(INSIDE, registry),
  };
}
