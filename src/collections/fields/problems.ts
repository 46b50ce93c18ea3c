// The messages and codes that more than one field type gives.
import type { FieldProblem } from './field-type.ts';

export const WRONG_TYPE: FieldProblem = { message: 'is wrong type', code: 'ERROR_VALUE_INVALID' };
