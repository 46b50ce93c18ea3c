// Error of an extra write that a caller of the documents put into the same commit.
import { StoreError } from '../../errors/errors.ts';

/**
 * A commit was rejected because of one of its extra writes. `reason` is that of the store: `duplicate` or `conflict` where
 * another write came first. Nothing was written.
 */
export class ExtraWriteError extends StoreError {
  /** Index among the extra writes. */
  readonly position: number;

  constructor(cause: StoreError, position: number) {
    super(cause.reason, { cause, fields: cause.fields });
    this.name = 'ExtraWriteError';
    this.position = position;
  }
}
