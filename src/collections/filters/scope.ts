// Resolves the paths of filters: a field of the collection, a value inside one, or a field of a referenced document.
import { isId } from '../../lib/ids.ts';
import { didYouMean } from '../../lib/nearest-name.ts';
import type { Collection, Field } from '../model/collection.ts';
import { MILLISECONDS_OPERAND } from '../model/fields/date-time.ts';
import type { FieldTypeRules } from '../model/fields/field-type.ts';
import { FIELD_TYPES } from '../model/fields/field-types.ts';

/** How operands for a path are parsed. */
export interface OperandRules extends Pick<FieldTypeRules, 'readOperand' | 'operandForm'> {
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

type OperandReader = Pick<FieldTypeRules, 'readOperand' | 'operandForm'>;

/** Ids of documents that other programs wrote, or that were imported, may be any text, and numbers. */
const DOCUMENT_ID: OperandReader = {
  readOperand(value) {
    if (isId(value)) return value.toLowerCase();
    return typeof value === 'string' || typeof value === 'number' ? value : undefined;
  },
  operandForm: 'the id of a document, as text',
};

const INTERNAL_OPERANDS: ReadonlyMap<string, OperandReader> = new Map([
  ['_id', DOCUMENT_ID],
  ['apiVersion', FIELD_TYPES.String],
  ['v', FIELD_TYPES.Number],
  ['history', FIELD_TYPES.ObjectID],
  ['createdAt', MILLISECONDS_OPERAND],
  ['createdBy', FIELD_TYPES.String],
  ['lastModifiedAt', MILLISECONDS_OPERAND],
  ['lastModifiedBy', FIELD_TYPES.String],
  ['composed', FIELD_TYPES.Mixed],
]);

const operandRules = (
  { readOperand, operandForm }: OperandReader,
  caseInsensitive: boolean,
): OperandRules => ({ readOperand, operandForm, caseInsensitive });

const EXACT_MATCH: PathMeaning = { kind: 'field', rules: operandRules(FIELD_TYPES.Mixed, false) };
const INTERNAL_PATHS: ReadonlyMap<string, PathMeaning> = new Map(
  [...INTERNAL_OPERANDS].map(([name, reader]) => [
    name,
    { kind: 'field', rules: operandRules(reader, false) },
  ]),
);

/** The names with which a path of the collection may begin. */
const pathNames = ({ fields }: Collection): readonly string[] => [
  ...fields.keys(),
  ...INTERNAL_OPERANDS.keys(),
];

/** The end of a message about a path that the collection does not have: the name that was probably meant. */
export function pathHint(path: string, collection: Collection): string {
  const [first = ''] = path.split('.', 1);
  return didYouMean(first, pathNames(collection));
}

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
      const type = FIELD_TYPES[field.type];
      return {
        kind: 'field',
        rules: operandRules(type, type.supportsCaseInsensitive && !field.caseSensitive),
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
