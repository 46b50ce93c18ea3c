// Reference fields: the id of a document, or a list of ids. Sub-documents were taken out before a value comes here.
import type { Json } from '../../../lib/json/json.ts';
import { type FieldIssue, type FieldTypeRules, WRONG_TYPE } from './field-type.ts';
import { checkId, ID_OPERAND, idSchema, lowerCaseIds } from './object-id.ts';

function checkTarget(value: Json, inList: boolean): FieldIssue | undefined {
  if (typeof value === 'string') return checkId(value, inList);
  // A list may hold nulls: composition drops them.
  return inList && value === null ? undefined : WRONG_TYPE;
}

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
