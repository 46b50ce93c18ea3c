// How a filter is refused: always a 400 that names the culprit.
import { AppError } from '../../errors.ts';

/** The error for a filter with `field` (a path or an operator) at fault. */
export function refuseFilter(field: string, message: string): AppError {
  const title = 'Invalid Filter Parameter Provided';
  const item = { field: field.slice(0, 200).toWellFormed(), message, code: 'FILTER_INVALID', title };
  return new AppError('FILTER_INVALID', { items: [{ ...item, details: message }] });
}
