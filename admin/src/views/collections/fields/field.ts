// What forms and lists know of the fields of a collection: the specification, read leniently, because nobody checks labels and
// placements.

import type { Json, JsonObject } from '../../../api/types.ts';
import type { CollectionDescription, FieldDescription } from '../../../api/types-collections.ts';
import { type CollectionAddress, parsePath } from '../address.ts';

export const FIELD_TYPES = [
  'String',
  'Number',
  'Boolean',
  'DateTime',
  'Object',
  'Mixed',
  'ObjectID',
  'Reference',
] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: FieldType;
  readonly comments: string;
  readonly example: Json | undefined;
  /** Group of the form; empty: the main one. */
  readonly placement: string;
  readonly isRequired: boolean;
  readonly default: Json | undefined;
  readonly isInLists: boolean | undefined;
  readonly isInForms: boolean;
  /** The caller may not write it. */
  readonly isClosed: boolean;
  readonly maxLength: number | undefined;
  /** Of Reference fields. */
  readonly target: CollectionAddress | undefined;
  readonly isMultiple: boolean;
}

/** How many columns a list has where the specification names none. */
const MAX_COLUMNS = 5;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value.trim() : '');
/** A member of its own: names such as `constructor` are names of fields too. */
export const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** `Array` and `Date` are older names. */
function typeOf(name: string | undefined): FieldType {
  if (name === 'Array') return 'Mixed';
  if (name === 'Date') return 'DateTime';
  return FIELD_TYPES.find((type) => type === name) ?? 'String';
}

function fieldOf(name: string, given: FieldDescription, { path, closed }: CollectionDescription): Field {
  const own = parsePath(path);
  const type = typeOf(given.type);
  const isShown = (view: string) => memberOf(given.display, view);
  const maxLength = memberOf(given.validation, 'maxLength');
  const inLists = isShown('index');
  return {
    name,
    label: textIn(given.label) || name,
    type,
    comments: textIn(given.comments),
    example: given.example,
    placement: textIn(given.placement),
    isRequired: given.required === true,
    default: given.default,
    isInLists: typeof inLists === 'boolean' ? inLists : undefined,
    isInForms: isShown('edit') !== false,
    isClosed: closed.includes(name),
    maxLength: typeof maxLength === 'number' ? maxLength : undefined,
    target:
      type === 'Reference'
        ? {
            version: own.version,
            database: textIn(memberOf(given.settings, 'database')) || own.database,
            name: textIn(memberOf(given.settings, 'collection')) || own.name,
          }
        : undefined,
    isMultiple: memberOf(given.settings, 'multiple') === true,
  };
}

export const fieldsOf = (collection: CollectionDescription): readonly Field[] =>
  Object.entries(collection.fields).map(([name, given]) => fieldOf(name, given, collection));

/** The fields of a list: those whose `display.index` says so, else the first few that it does not refuse. */
export function columnsOf(fields: readonly Field[]): readonly Field[] {
  const named = fields.filter(({ isInLists }) => isInLists === true);
  if (named.length > 0) return named;
  return fields.filter(({ isInLists }) => isInLists !== false).slice(0, MAX_COLUMNS);
}

/** The field that tells people which document it is: the first text of the list. */
export const titleField = (fields: readonly Field[]): Field | undefined =>
  [...columnsOf(fields), ...fields].find(({ type }) => type === 'String');
