// What a path of a filter means: a field of the collection, something inside one, or a field of a referenced document.
import type { Json } from '../../lib/json.ts';
import type { Collection, Field, FieldType } from '../collection.ts';
import type { FieldProblem } from '../fields/field-type.ts';
import { FIELD_TYPES } from '../fields/index.ts';

/** How operands for a path are read. */
export interface OperandRules {
  coerce(value: Json): Json;
  check?: ((value: Json) => FieldProblem | undefined) | undefined;
  /** Plain text equality ignores case. */
  readonly fold: boolean;
}

type Meaning =
  | { readonly kind: 'own'; readonly rules: OperandRules }
  /** `rest` is a path in the document that `field` points at. */
  | { readonly kind: 'through'; readonly field: Field; readonly rest: string };

/** Undefined: no such path here. */
export type Scope = (path: string) => Meaning | undefined;

const MAX_SEGMENTS = 100;

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

const rulesOf = (type: FieldType, fold: boolean): OperandRules => ({
  coerce: FIELD_TYPES[type].coerceOperand,
  check: FIELD_TYPES[type].checkOperand,
  fold,
});

const EXACT: Meaning = { kind: 'own', rules: { coerce: (value) => value, fold: false } };
const INTERNALS: ReadonlyMap<string, Meaning> = new Map(
  [...INTERNAL_TYPES].map(([name, type]) => [name, { kind: 'own', rules: rulesOf(type, false) }]),
);

/** True for a dotted path that a store can walk. */
export function isPath(path: string): boolean {
  const segments = path.split('.');
  return (
    segments.length <= MAX_SEGMENTS &&
    segments.every((name) => name !== '' && name !== '__proto__' && !name.startsWith('$'))
  );
}

/** The paths of a collection: its fields, the internals, what lies inside Object and Mixed, what References point at. */
export function collectionScope(collection: Collection): Scope {
  return (path) => {
    const field = collection.fields.get(path);
    if (field !== undefined) {
      return { kind: 'own', rules: rulesOf(field.type, FIELD_TYPES[field.type].foldable && !field.exact) };
    }
    return INTERNALS.get(path) ?? inside(collection, path);
  };
}

function inside(collection: Collection, path: string): Meaning | undefined {
  const dot = path.indexOf('.');
  const outer = dot < 0 ? undefined : collection.fields.get(path.slice(0, dot));
  if (outer === undefined || !isPath(path)) return undefined;
  if (outer.type === 'Reference') return { kind: 'through', field: outer, rest: path.slice(dot + 1) };
  return outer.type === 'Object' || outer.type === 'Mixed' ? EXACT : undefined;
}

/** The paths inside one element of an array: any, compared exactly. */
export const elementScope: Scope = (path) => (isPath(path) ? EXACT : undefined);
