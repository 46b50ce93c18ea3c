// DateTime fields: ISO 8601 text in, the same instant in UTC with milliseconds stored and returned.
// Filters may also name it in epoch milliseconds.
import type { Json } from '../../lib/json.ts';
import type { FieldTypeRules } from './field-type.ts';

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

const normalise = (value: Json) => (typeof value === 'string' ? (toUtc(value) ?? value) : value);

// The largest instant that the platform knows, in milliseconds either way from the epoch.
const LARGEST = 8.64e15;

const coerceOperand = (value: Json) =>
  typeof value === 'number' && Math.abs(value) <= LARGEST ? new Date(value).toISOString() : normalise(value);

export const dateTimeField: FieldTypeRules = {
  check(value) {
    const isInstant = typeof value === 'string' && toUtc(value) !== undefined;
    return isInstant ? undefined : { message: 'is not a valid DateTime', code: 'ERROR_VALUE_INVALID' };
  },
  normalise,
  coerceOperand,
  foldable: false,
};
