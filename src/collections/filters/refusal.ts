// How a filter is refused: always a 400 that names the culprit, in the shape of every parameter's.
import { AppError } from '../../errors.ts';
import { refuseParameter } from '../parameter-error.ts';

/** The error for a filter with `field` (a path or an operator) at fault. */
export function refuseFilter(field: string, message: string): AppError {
  const { items } = refuseParameter('filter', message);
  const named = items.map((item) => ({ ...item, field: field.slice(0, 200).toWellFormed() }));
  return new AppError('FILTER_INVALID', { items: named });
}
