// The failure of a write that a caller of the documents had done in the same commit.
import { StoreError } from '../../errors.ts';

/**
 * What a commit rejects with when one of the writes beside the documents is refused: `reason` as the store says it,
 * `duplicate` or `conflict` for one that somebody else was faster with. Nothing was written.
 */
export class ExtraWriteError extends StoreError {
  /** Which of them, from 0. */
  readonly position: number;

  constructor(cause: StoreError, position: number) {
    super(cause.reason, { cause, fields: cause.fields });
    this.name = 'BesideError';
    this.position = position;
  }
}
