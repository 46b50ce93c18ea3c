// A filter against a document, as slowly and plainly as can be: equality, `$eq`, `$ne`, `$in`, `$gt`, `$not`, `$and`, `$or`.
import { isJsonObject, type Json, type JsonObject } from '../../../src/lib/json/json.ts';
import type { ModelCaller } from './world.ts';

/** The values at a path of a document: none where it is missing, several where a list is there. */
export type ValuesAt = (path: string) => readonly Json[];

const isCallerValue = (value: Json | undefined): value is JsonObject & { readonly $caller: string } =>
  isJsonObject(value) && Object.hasOwn(value, '$caller');

class MissingMember extends Error {}

function replaceIn(value: Json, caller: ModelCaller): Json {
  if (Array.isArray(value)) return value.map((entry) => replaceIn(entry as Json, caller));
  if (!isJsonObject(value)) return value;
  if (isCallerValue(value)) {
    if (caller.clientId === null) throw new MissingMember();
    return value.$caller === 'roles' ? [...caller.roles] : caller.clientId;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [
      name,
      // Beside a field's name equality would ignore case: values of the caller are exact.
      !name.startsWith('$') && isCallerValue(entry as Json)
        ? { $eq: replaceIn(entry as Json, caller) }
        : replaceIn(entry as Json, caller),
    ]),
  );
}

/** The filter of a rule for this caller; null when the caller lacks what it asks for: then the whole rule fails. */
export function filterFor(where: JsonObject, caller: ModelCaller): JsonObject | null {
  try {
    return replaceIn(where, caller) as JsonObject;
  } catch (error) {
    if (error instanceof MissingMember) return null;
    throw error;
  }
}

const equalsIgnoringCase = (one: Json, other: Json): boolean =>
  typeof one === 'string' && typeof other === 'string'
    ? one.toLowerCase() === other.toLowerCase()
    : one === other;

function passesOperator(values: readonly Json[], name: string, operand: Json): boolean {
  if (name === '$eq') return values.includes(operand);
  if (name === '$ne') return !values.includes(operand);
  if (name === '$in') return values.some((value) => (operand as readonly Json[]).includes(value));
  if (name === '$not') return !passesAll(values, operand as JsonObject);
  if (name === '$gt')
    return values.some((value) => typeof value === typeof operand && value !== null && value > operand!);
  throw new Error(`the model does not know ${name}`);
}

const passesAll = (values: readonly Json[], operators: JsonObject): boolean =>
  Object.entries(operators).every(([name, operand]) => passesOperator(values, name, operand as Json));

/** Whether a document passes. */
export function matches(filter: JsonObject, valuesAt: ValuesAt): boolean {
  return Object.entries(filter).every(([name, operand]) => {
    const inner = operand as readonly JsonObject[];
    if (name === '$and') return inner.every((entry) => matches(entry, valuesAt));
    if (name === '$or') return inner.some((entry) => matches(entry, valuesAt));
    const values = valuesAt(name);
    if (isJsonObject(operand)) return passesAll(values, operand);
    return values.some((value) => equalsIgnoringCase(value, operand as Json));
  });
}

/** The paths that a filter names. */
export function pathsIn(filter: JsonObject): readonly string[] {
  return Object.entries(filter).flatMap(([name, operand]) =>
    name.startsWith('$') ? (operand as readonly JsonObject[]).flatMap(pathsIn) : [name],
  );
}

/** The values of a document itself. */
export const ownValues =
  (document: JsonObject): ValuesAt =>
  (path) => {
    const value = document[path];
    if (value === undefined || value === null) return [];
    return Array.isArray(value) ? (value as readonly Json[]) : [value as Json];
  };
