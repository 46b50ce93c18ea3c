// Resolves the paths of filters: a field of the collection, a value inside one, or a field of a referenced document.
import type { Json } from '../../lib/json/json.ts';
import type { Collection, Field } from '../model/collection.ts';
import type { FieldIssue } from '../model/fields/field-type.ts';
import { FIELD_TYPES, type FieldType } from '../model/fields/field-types.ts';

/** How operands for a path are parsed. */
export interface OperandRules {
  coerce(value: Json): Json;
  check?: ((value: Json) => FieldIssue | undefined) | undefined;
  /** Plain text equality ignores case. */
  readonly caseInsensitive: boolean;
}

type PathMeaning =
  | { readonly kind: 'field'; readonly rules: OperandRules }
  /** `rest` is a path in the document that `field` refers to. */
  | { readonly kind: 'reference'; readonly field: Field; readonly rest: string };

/** Resolves a path; undefined where there is no such path. */
export type PathScope = (path: string) => PathMeaning | undefined;

const MAX_PATH_SEGMENTS = 100;

const INTERNAL_TYPES: ReadonlyMap<string, FieldType> = new Map([
  ['_id', 'ObjectID'],
  ['apiVersion', 'String'],
  ['v', 'Number'],
  ['history', 'ObjectID'],
  ['createdAt', 'Number'],
  ['createdBy', 'String'],
  ['lastModifiedAt', 'Number'],
  ['lastModifiedBy', 'String'],
  ['composed', 'Mixed'],
]);

const operandRules = (type: FieldType, caseInsensitive: boolean): OperandRules => ({
  coerce: FIELD_TYPES[type].coerceOperand,
  check: FIELD_TYPES[type].checkOperand,
  caseInsensitive,
});

const EXACT_MATCH: PathMeaning = {
  kind: 'field',
  rules: { coerce: (value) => value, caseInsensitive: false },
};
const INTERNAL_PATHS: ReadonlyMap<string, PathMeaning> = new Map(
  [...INTERNAL_TYPES].map(([name, type]) => [name, { kind: 'field', rules: operandRules(type, false) }]),
);

/** True for a dotted path that a store can resolve. */
export function isValidPath(path: string): boolean {
  const segments = path.split('.');
  return (
    segments.length <= MAX_PATH_SEGMENTS &&
    segments.every((name) => name !== '' && name !== '__proto__' && !name.startsWith('$'))
  );
}

/** The paths of a collection: its fields, internal fields, paths into nested values, and paths through references. */
export function collectionScope(collection: Collection): PathScope {
  return (path) => {
    const field = collection.fields.get(path);
    if (field !== undefined) {
      return {
        kind: 'field',
        rules: operandRules(
          field.type,
          FIELD_TYPES[field.type].supportsCaseInsensitive && !field.caseSensitive,
        ),
      };
    }
    return INTERNAL_PATHS.get(path) ?? resolveInnerPath(collection, path);
  };
}

function resolveInnerPath(collection: Collection, path: string): PathMeaning | undefined {
  const dot = path.indexOf('.');
  const outer = dot < 0 ? undefined : collection.fields.get(path.slice(0, dot));
  if (outer === undefined || !isValidPath(path)) return undefined;
  const { reference, nested } = FIELD_TYPES[outer.type];
  if (reference) return { kind: 'reference', field: outer, rest: path.slice(dot + 1) };
  return nested ? EXACT_MATCH : undefined;
}

/** The paths inside an element of an array: any, compared exactly. */
export const elementScope: PathScope = (path) => (isValidPath(path) ? EXACT_MATCH : undefined);
