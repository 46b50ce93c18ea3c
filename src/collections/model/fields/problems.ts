// The messages and codes that more than one field type gives.
import type { FieldIssue } from './field-type.ts';

export const WRONG_TYPE: FieldIssue = { message: 'is wrong type', code: 'ERROR_VALUE_INVALID' };
