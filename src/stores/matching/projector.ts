// Projections with MongoDB's semantics: paths go through arrays, and numeric parts are field names.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { Projection } from '../ports.ts';

/** Paths as a tree of field names; 'whole' where a path ends. */
type FieldTree = Map<string, FieldTree | 'whole'>;

/** Creates a function that projects documents. It keeps the order of keys and does not change the document. */
export function createProjector(projection: Projection): (document: JsonObject) => JsonObject {
  const { include, exclude = [] } = projection;
  const kept = include === undefined ? undefined : buildTree([...include, '_id']);
  const dropped = exclude.length === 0 ? undefined : buildTree(exclude);
  return (document) => {
    const rest = kept === undefined ? document : keep(document, kept);
    return dropped === undefined ? rest : drop(rest, dropped);
  };
}

/** Builds the tree. A path covers longer paths that begin with it. */
function buildTree(paths: readonly string[]): FieldTree {
  const root: FieldTree = new Map();
  for (const path of paths) {
    const parts = path.split('.');
    const last = parts.pop() as string;
    let tree: FieldTree | 'whole' = root;
    for (const part of parts) {
      const branch: FieldTree | 'whole' = tree.get(part) ?? new Map();
      tree.set(part, branch);
      if (branch === 'whole') {
        tree = branch;
        break;
      }
      tree = branch;
    }
    if (tree !== 'whole') tree.set(last, 'whole');
  }
  return root;
}

function keep(source: JsonObject, tree: FieldTree): JsonObject {
  const target: Record<string, Json> = {};
  for (const name of Object.keys(source)) {
    const branch = tree.get(name);
    if (branch === undefined) continue;
    const value = source[name] as Json;
    const kept = branch === 'whole' ? value : keepWithin(value, branch);
    if (kept !== undefined) setOwn(target, name, kept);
  }
  return target;
}

/** Projects a value inside of a path. Scalars are removed: they have no fields. */
function keepWithin(value: Json, tree: FieldTree): Json | undefined {
  if (isJsonObject(value)) return keep(value, tree);
  if (!Array.isArray(value)) return undefined;
  const elements: Json[] = [];
  for (const element of value as readonly Json[]) {
    const kept = keepWithin(element, tree);
    if (kept !== undefined) elements.push(kept);
  }
  return elements;
}

function drop(source: JsonObject, tree: FieldTree): JsonObject {
  const target: Record<string, Json> = {};
  for (const name of Object.keys(source)) {
    const branch = tree.get(name);
    const value = source[name] as Json;
    if (branch === undefined) setOwn(target, name, value);
    else if (branch !== 'whole') setOwn(target, name, dropWithin(value, branch));
  }
  return target;
}

function dropWithin(value: Json, tree: FieldTree): Json {
  if (isJsonObject(value)) return drop(value, tree);
  if (!Array.isArray(value)) return value;
  return (value as readonly Json[]).map((element) => dropWithin(element, tree));
}

/** Sets a member. An assignment to `__proto__` would replace the prototype. */
function setOwn(target: Record<string, Json>, name: string, value: Json): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
