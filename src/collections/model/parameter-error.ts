// How a query parameter is refused, in the words that clients of the older dialect know.
import { AppError } from '../../errors.ts';

/** A 400 for the query parameter `name`. */
export function createParameterError(name: string, details: string): AppError {
  const title = `Invalid ${name.charAt(0).toUpperCase()}${name.slice(1)} Parameter Provided`;
  const item = { status: 'Bad Request', code: 'Invalid Parameter', title, details };
  return new AppError('PARAMETER_INVALID', { items: [{ field: name, message: details, ...item }] });
}
