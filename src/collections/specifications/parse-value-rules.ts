// The rules of `validation` for numbers and dates: `before`, `after` and `integer`.
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { FieldValidation } from '../model/collection.ts';
import { MILLISECONDS_OPERAND } from '../model/fields/date-time.ts';
import type { IssueCollector } from './issue-collector.ts';

/** Names of the rules, in the order in which they are documented. */
export const VALUE_RULES = ['before', 'after', 'integer'];

function instantOf(value: Json | undefined): number | undefined {
  const instant = value === undefined || value === null ? undefined : MILLISECONDS_OPERAND.readOperand(value);
  return typeof instant === 'number' ? instant : undefined;
}

/** Reads the rules of the field `name`; what is wrong goes into `report`. Undefined where there are none. */
export function parseValueRules(
  name: string,
  { before, after, integer }: JsonObject,
  report: IssueCollector,
): FieldValidation['value'] {
  for (const [rule, value] of Object.entries({ before, after })) {
    if (value === undefined || value === null || instantOf(value) !== undefined) continue;
    const form = MILLISECONDS_OPERAND.operandForm;
    report.fieldIssue(name, `\`validation.${rule}\` must be ${form}`);
  }
  if (integer !== undefined && integer !== null && typeof integer !== 'boolean') {
    report.fieldIssue(name, '`validation.integer` must be true or false');
  }
  const [end, start] = [instantOf(before), instantOf(after)];
  if (end !== undefined && start !== undefined && start >= end - 1) {
    report.fieldIssue(name, '`validation.after` leaves nothing that is before `validation.before`');
  }
  if (end === undefined && start === undefined && integer !== true) return undefined;
  return {
    ...(end === undefined ? {} : { before: end }),
    ...(start === undefined ? {} : { after: start }),
    ...(integer === true ? { integer } : {}),
  };
}
