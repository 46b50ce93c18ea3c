// DateTime fields: ISO 8601 text in, the same instant in UTC with milliseconds stored and returned.
// Filters may also name it in epoch milliseconds. Years have four digits, so that the text has the order of the instants.
import type { Json } from '../../../lib/json/json.ts';
import { type FieldIssue, type FieldTypeRules, textOfForm } from './field-type.ts';
import { numberField } from './plain-types.ts';

const ISO =
  /^(?<year>\d{4}|[+-]\d{6})-(?<month>\d\d)-(?<day>\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?<zone>Z|[+-]\d\d:\d\d)?)?$/;

/** The instant that an ISO 8601 text names, as `2024-02-29T12:00:00.000Z`. Text without a zone is UTC. */
function toUtc(text: string): string | undefined {
  const parts = ISO.exec(text)?.groups;
  if (parts === undefined || text.startsWith('-000000')) return undefined;
  const zoned = parts['zone'] === undefined && text.includes('T') ? `${text}Z` : text;
  const instant = new Date(zoned);
  if (Number.isNaN(instant.getTime())) return undefined;
  // The parser of the platform turns 30 February into a day of March.
  const midnight = new Date(0);
  midnight.setUTCFullYear(Number(parts['year']), Number(parts['month']) - 1, Number(parts['day']));
  return midnight.getUTCDate() === Number(parts['day']) ? instant.toISOString() : undefined;
}

const NOT_A_DATE: FieldIssue = { message: 'is not a valid DateTime', code: 'ERROR_VALUE_INVALID' };
const OUT_OF_RANGE: FieldIssue = {
  message: 'is not a DateTime of the years 0000 to 9999',
  code: 'ERROR_VALUE_INVALID',
};

/** The platform writes years beyond four digits with a sign, which no digit sorts beside. */
const hasFourDigits = (utc: string) => !utc.startsWith('+') && !utc.startsWith('-');

const normalise = (value: Json) => (typeof value === 'string' ? (toUtc(value) ?? value) : value);

/** The first and the last millisecond of the years 0000 to 9999, from the epoch. */
const MIN_MILLISECONDS = -62_167_219_200_000;
const MAX_MILLISECONDS = 253_402_300_799_999;

/** What names an instant in a filter. */
const INSTANT_FORM =
  'ISO 8601, such as 2023-01-29T12:00:00Z, or whole milliseconds since 1970, in the years 0000 to 9999';

/** Digits that other servers read as a year, a month, a day or an instant, and that are few milliseconds, or many. */
const DATE_OF_DIGITS = /^(?:\d{4}|\d{6}|\d{8}|\d{14})$/;

/** An operand of an internal field that holds milliseconds since 1970. */
export const MILLISECONDS_OPERAND = {
  readOperand(value: Json): Json | undefined {
    if (typeof value !== 'string') return numberField.readOperand(value);
    const utc = toUtc(value);
    if (utc !== undefined) return hasFourDigits(utc) ? Date.parse(utc) : undefined;
    return DATE_OF_DIGITS.test(value) ? undefined : numberField.readOperand(value);
  },
  operandForm: INSTANT_FORM,
};

/** The same without names of groups, which some engines write in another way. */
const ISO_PATTERN = ISO.source.replaceAll(/\?<\w+>/g, '?:');

export const dateTimeField: FieldTypeRules = {
  check(value) {
    const utc = typeof value === 'string' ? toUtc(value) : undefined;
    if (utc === undefined) return NOT_A_DATE;
    return hasFourDigits(utc) ? undefined : OUT_OF_RANGE;
  },
  valueForm: 'ISO 8601 text, such as 2023-01-29T12:00:00Z',
  normalise,
  // `date-time` is the form of stored values only: clients may leave out time, seconds and zone.
  schema: ({ form, texts }) =>
    form === 'stored'
      ? { type: 'string', format: 'date-time' }
      : textOfForm(ISO_PATTERN, form === 'created' ? texts : {}),
  readOperand(value) {
    if (typeof value === 'number') return isInstant(value) ? new Date(value).toISOString() : undefined;
    const utc = typeof value === 'string' ? toUtc(value) : undefined;
    return utc !== undefined && hasFourDigits(utc) ? utc : undefined;
  },
  operandForm: INSTANT_FORM,
  supportsCaseInsensitive: false,
};

/** No value has a fraction of a millisecond, and cut to a whole one the operand would be on the other side of it. */
function isInstant(milliseconds: number): boolean {
  return (
    Number.isInteger(milliseconds) && milliseconds >= MIN_MILLISECONDS && milliseconds <= MAX_MILLISECONDS
  );
}
