// What is wrong with a line of an imported file, in one sentence that begins with its number.
import { AppError } from '../errors.ts';

/** An error for the operator; `cause` is for programmers. */
export function lineError(line: number, message: string, cause?: unknown): AppError {
  return new AppError('DOCUMENT_INVALID', { message: `line ${line}: ${message}`, cause });
}
