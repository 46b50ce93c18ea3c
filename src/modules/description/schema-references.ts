// References within a schema: each leads to a part of the same schema, and none in a circle that says nothing. In a larger document
// a schema with references becomes a component, so that they lead to its parts there too.
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { mapSchema, schemaParts } from './schema-keywords.ts';

/** What is wrong with a reference. `keys` lead to the schema that has it. */
interface ReferenceIssue {
  readonly keys: readonly string[];
  readonly message: string;
}

interface PlacedSchema {
  readonly keys: readonly string[];
  readonly schema: JsonObject;
}

/** The keys of a reference such as `#/$defs/a%20b`; undefined for one that is not well formed. */
function keysOf(reference: string): readonly string[] | undefined {
  try {
    const pointer = decodeURIComponent(reference.slice(1));
    return pointer
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  } catch {
    return undefined;
  }
}

const referenceOf = ({ $ref }: JsonObject): string | undefined =>
  typeof $ref === 'string' ? $ref : undefined;

/** Every schema within one, itself included, in the order of the text. */
function allSchemas(schema: JsonObject, keys: readonly string[] = []): readonly PlacedSchema[] {
  const inner = schemaParts(schema).flatMap((part) => allSchemas(part.schema, [...keys, ...part.keys]));
  return [{ keys, schema }, ...inner];
}

const pointerOf = (keys: readonly string[]) => JSON.stringify(keys);

/**
 * The first schema from which the way by references and in-place parts leads back to itself: what it says of a value would be asked
 * for ever.
 */
function findCircular(
  all: readonly PlacedSchema[],
  targets: ReadonlyMap<JsonObject, JsonObject>,
): PlacedSchema | undefined {
  const open = new Set<JsonObject>();
  const done = new Set<JsonObject>();
  const leadsBack = (schema: JsonObject): boolean => {
    if (open.has(schema)) return true;
    if (done.has(schema)) return false;
    open.add(schema);
    const inPlace = schemaParts(schema)
      .filter((part) => part.isInPlace)
      .map((part) => part.schema);
    const target = targets.get(schema);
    const found = (target === undefined ? inPlace : [...inPlace, target]).some(leadsBack);
    open.delete(schema);
    done.add(schema);
    return found;
  };
  return all.find(({ schema }) => targets.has(schema) && leadsBack(schema));
}

/** Yields what is wrong with the references of a schema: a target that is no schema of it, or a circle. */
export function* referenceIssues(root: JsonObject): Iterable<ReferenceIssue> {
  const all = allSchemas(root);
  const byPointer = new Map(all.map(({ keys, schema }) => [pointerOf(keys), schema]));
  const targets = new Map<JsonObject, JsonObject>();
  for (const { keys, schema } of all) {
    const reference = referenceOf(schema);
    if (reference === undefined) continue;
    const target = byPointer.get(pointerOf(keysOf(reference) ?? ['']));
    if (target === undefined) yield { keys, message: 'leads to no schema within the same schema' };
    else targets.set(schema, target);
  }
  const circular = findCircular(all, targets);
  if (circular !== undefined) yield { keys: circular.keys, message: 'leads back to itself' };
}

/**
 * Yields what looks like a reference, and is none because no schema has it: some programs follow it in an example too. `schemas` are
 * the schemas of the whole, without those within them.
 */
export function* strayReferences(
  whole: JsonObject,
  schemas: readonly JsonObject[],
): Iterable<ReferenceIssue> {
  const known = new Set(schemas.flatMap((root) => allSchemas(root).map(({ schema }) => schema)));
  function* within(value: Json, keys: readonly string[]): Iterable<ReferenceIssue> {
    if (typeof value !== 'object' || value === null) return;
    const object = value as JsonObject;
    if (!known.has(object) && referenceOf(object) !== undefined)
      yield { keys, message: 'must be in a schema' };
    for (const [key, member] of Object.entries(object)) yield* within(member, [...keys, key]);
  }
  yield* within(whole, []);
}

/** How many references a schema has, at any depth. */
export function countReferences(root: JsonObject): number {
  return allSchemas(root).filter(({ schema }) => referenceOf(schema) !== undefined).length;
}

/** The schema with references that lead to its parts where it stands at `base`, such as `#/components/schemas/Name`. */
export function rebaseReferences(root: JsonObject, base: string): JsonObject {
  return mapSchema(root, (schema) => {
    const reference = referenceOf(schema);
    return reference === undefined ? schema : { ...schema, $ref: `${base}${reference.slice(1)}` };
  });
}
