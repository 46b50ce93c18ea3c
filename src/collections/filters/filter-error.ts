// How a filter is refused: always a 400 that names the culprit, in the shape of every parameter's.
import { AppError } from '../../errors.ts';
import { createParameterError } from '../model/parameter-error.ts';

/** The error for a filter with `field` (a path or an operator) at fault. */
export function createFilterError(field: string, message: string): AppError {
  const { items } = createParameterError('filter', message);
  const named = items.map((item) => ({ ...item, field: field.slice(0, 200).toWellFormed() }));
  return new AppError('FILTER_INVALID', { items: named });
}
