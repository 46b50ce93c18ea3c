// Why a command failed, in words for the operator.
import { AppError, StoreError } from '../errors.ts';

/** The code of an error of the operating system, such as `EADDRINUSE`. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : undefined;
}

/**
 * What the operator can mend, said in one line; undefined for a defect of ours, which needs its stack. `store` is what a
 * StoreError is about.
 */
export function operatorMessage(error: unknown, store = 'the database'): string | undefined {
  if (error instanceof AppError) return error.items.map(({ message }) => message).join('; ');
  if (error instanceof StoreError) {
    const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
    if (error.reason === 'in-use' && error.cause instanceof Error) return error.cause.message;
    return error.explanation ?? `${store} cannot be used (${error.reason})${cause}`;
  }
  return error instanceof Error && systemErrorCode(error) !== undefined ? error.message : undefined;
}
