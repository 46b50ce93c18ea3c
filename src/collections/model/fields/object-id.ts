// Field types whose values are ids of documents: 24 hexadecimal characters, stored in lower case.
import { isId } from '../../../lib/ids.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import {
  type FieldIssue,
  type FieldTypeRules,
  type SchemaRules,
  textOfForm,
  WRONG_TYPE,
} from './field-type.ts';

const MAX_SHOWN_CHARACTERS = 100;
const NOT_AN_ID: FieldIssue = { message: 'is not a valid ObjectID', code: 'ERROR_INVALID_ID' };

/** The problem of text that should be an id, for a single value or for one element of a list. */
export function checkId(text: string, inList: boolean): FieldIssue | undefined {
  const valid: boolean = isId(text);
  if (valid) return undefined;
  const shown = text.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed();
  return inList ? { ...NOT_AN_ID, message: `${shown} ${NOT_AN_ID.message}` } : NOT_AN_ID;
}

/** Ids in lower case, alone or in a list; everything else as it is. */
export function lowerCaseIds(value: Json): Json {
  if (isId(value)) return value.toLowerCase();
  return Array.isArray(value)
    ? value.map((entry: Json) => (isId(entry) ? entry.toLowerCase() : entry))
    : value;
}

/** An operand of a field whose values are ids. */
const ID_OPERAND = {
  readOperand(value: Json): Json | undefined {
    const entries: readonly Json[] = Array.isArray(value) ? value : [value as Json];
    const areIds = entries.every((entry) => isId(entry) || (entry === null && Array.isArray(value)));
    return areIds ? lowerCaseIds(value) : undefined;
  },
  operandForm: 'the id of a document, 24 hexadecimal characters as text, or a list of ids',
};

/** The form of an id, as a pattern. */
export const ID_PATTERN = '^[0-9A-Fa-f]{24}$';

/** The schema of one id. What the field asks of texts is asked before ids are stored, in lower case. */
function idSchema({ form, texts }: Pick<SchemaRules, 'form' | 'texts'>): JsonObject {
  return textOfForm(ID_PATTERN, form === 'created' ? texts : {});
}

/** An id, or a list of ids. */
export const objectIdField: FieldTypeRules = {
  check(value) {
    if (typeof value === 'string') return checkId(value, false);
    if (!Array.isArray(value)) return WRONG_TYPE;
    for (const entry of value) {
      const problem = typeof entry === 'string' ? checkId(entry, true) : WRONG_TYPE;
      if (problem !== undefined) return problem;
    }
    return undefined;
  },
  valueForm: 'an id of 24 hexadecimal digits, or a list of them',
  normalise: lowerCaseIds,
  schema(rules) {
    const id = idSchema(rules);
    return { anyOf: [id, { type: 'array', items: id }] };
  },
  ...ID_OPERAND,
  supportsCaseInsensitive: false,
  formText: 'json-list',
};

function checkTarget(value: Json, inList: boolean): FieldIssue | undefined {
  if (typeof value === 'string') return checkId(value, inList);
  // A list may hold nulls: composition drops them.
  return inList && value === null ? undefined : WRONG_TYPE;
}

/** The id of a document, or a list of ids. Sub-documents were taken out before a value comes here. */
export const referenceField: FieldTypeRules = {
  check(value) {
    if (!Array.isArray(value)) return checkTarget(value, false);
    for (const entry of value) {
      const problem = checkTarget(entry, true);
      if (problem !== undefined) return problem;
    }
    return undefined;
  },
  valueForm: 'the id of a document, a document, or a list of them',
  normalise: lowerCaseIds,
  schema(rules) {
    const targets = [idSchema(rules), ...rules.documents];
    return { anyOf: [...targets, { type: 'array', items: { anyOf: [...targets, { type: 'null' }] } }] };
  },
  ...ID_OPERAND,
  supportsCaseInsensitive: false,
  reference: true,
  formText: 'json-list',
};
