// What was too large for the server, of a read: all that a read sends is its filter.
import { StoreError } from '../../../errors.ts';

/** Throws what a read was rejected with, as a `filter-too-large` where that is why. */
export function rethrowFilterTooLarge(error: unknown): never {
  if (!(error instanceof StoreError) || error.reason !== 'too-large') throw error;
  throw new StoreError('filter-too-large', { cause: error.cause });
}
