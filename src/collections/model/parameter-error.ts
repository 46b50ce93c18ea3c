// The errors of query parameters and filters, in the wording that clients of the older dialect know.
import { AppError } from '../../errors/errors.ts';

const MAX_SHOWN_CHARACTERS = 200;

/** A 400 for the query parameter `name`. */
export function createParameterError(name: string, details: string): AppError {
  const title = `Invalid ${name.charAt(0).toUpperCase()}${name.slice(1)} Parameter Provided`;
  const item = { status: 'Bad Request', code: 'Invalid Parameter', title, details };
  return new AppError('PARAMETER_INVALID', { items: [{ field: name, message: details, ...item }] });
}

/** A 400 for a filter. `field` is the path or the operator that is wrong. */
export function createFilterError(field: string, message: string): AppError {
  const { items } = createParameterError('filter', message);
  const shown = field.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed();
  return new AppError('FILTER_INVALID', { items: items.map((item) => ({ ...item, field: shown })) });
}
