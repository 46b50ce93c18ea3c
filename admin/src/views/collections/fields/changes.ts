// What somebody has changed in a form: values by field, and text that is not a value yet.
import type { Json, JsonObject } from '../../../api/types.ts';
import { type Field, memberOf } from './field.ts';

export interface Change {
  /** Absent: the field is to have none. */
  readonly value?: Json | undefined;
  /** What was written, where it says more than the value: JSON with its spaces, a number that is begun. */
  readonly text?: string;
  /** Why the text is no value. */
  readonly problem?: string;
}

export type Changes = Readonly<Record<string, Change>>;

const isEqual = (a: Json | undefined, b: Json | undefined) => JSON.stringify(a) === JSON.stringify(b);

/** The value that the form shows. */
export const shownValue = (name: string, changes: Changes, stored: JsonObject): Json | undefined =>
  Object.hasOwn(changes, name) ? changes[name]?.value : memberOf(stored, name);

/** The values that a new document begins with. */
export const defaultsOf = (fields: readonly Field[]): JsonObject =>
  Object.fromEntries(
    fields.flatMap(({ name, default: value, isClosed }) =>
      value === undefined || isClosed ? [] : [[name, value] as const],
    ),
  );

/** Why the form cannot be sent yet, by field. */
export const problemsIn = (changes: Changes): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(changes).flatMap(([name, { problem }]) =>
      problem === undefined ? [] : [[name, problem] as const],
    ),
  );

/** The body of a new document: what has a value. */
export function newBody(fields: readonly Field[], changes: Changes, defaults: JsonObject): JsonObject {
  return Object.fromEntries(
    fields.flatMap(({ name }) => {
      const value = shownValue(name, changes, defaults);
      // A default that somebody empties would come back if nothing was sent.
      const sent = value === undefined && memberOf(defaults, name) !== undefined ? null : value;
      return sent === undefined ? [] : [[name, sent] as const];
    }),
  );
}

/** The body of an update: what has another value than the stored one. Undefined: nothing has. */
export function updateBody(
  fields: readonly Field[],
  changes: Changes,
  stored: JsonObject,
): JsonObject | undefined {
  const changed = fields.filter(
    ({ name }) => Object.hasOwn(changes, name) && !isEqual(changes[name]?.value, memberOf(stored, name)),
  );
  if (changed.length === 0) return undefined;
  const gone = changed.filter(({ name, isRequired }) => changes[name]?.value === undefined && !isRequired);
  const set = changed.flatMap(({ name, isRequired }) => {
    const value = changes[name]?.value;
    if (value !== undefined) return [[name, value] as const];
    // The server says beside the field that it needs a value.
    return isRequired ? [[name, null] as const] : [];
  });
  return {
    ...Object.fromEntries(set),
    ...(gone.length > 0 && { $unset: gone.map(({ name }) => name) }),
  };
}

/** Whether the form holds anything else than what is stored, text that is no value yet included. */
export const hasChanges = (fields: readonly Field[], changes: Changes, stored: JsonObject): boolean =>
  problemsIn(changes).size > 0 || updateBody(fields, changes, stored) !== undefined;
