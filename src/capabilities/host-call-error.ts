// Errors of host calls: a code and a message that the guest may read, without internals of the server.
import type { AppError, ErrorItem } from '../errors/errors.ts';
import type { HostCallResult } from '../sandbox-supervisor/model/sandbox.ts';

/** Codes of host calls beside those of the server's own errors. */
type HostCallErrorCode =
  | 'BAD_ARGUMENTS'
  | 'NOT_GRANTED'
  | 'AMBIGUOUS_NAME'
  | 'TOO_DEEP'
  | 'CLIENT_REMOVED'
  | 'FETCH_REFUSED'
  | 'FETCH_FAILED'
  | 'ABORTED';

/** A failure that is meant for the guest, word by word. */
export class HostCallError extends Error {
  readonly code: HostCallErrorCode;

  constructor(code: HostCallErrorCode, message: string) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
  }
}

interface GuestError {
  readonly code: string;
  readonly message: string;
  /** What is wrong with each field, as HTTP would tell it. */
  readonly errors?: readonly ErrorItem[];
  /** What HTTP would answer: an endpoint that passes the error to `next` answers the same. */
  readonly statusCode?: number;
}

function toGuestError(error: AppError): GuestError {
  const [first, ...others] = error.items;
  const message = others.length === 0 && first !== undefined ? first.message : error.message;
  const fields = { code: error.code, message };
  return error.status < 500 ? { ...fields, errors: error.items, statusCode: error.status } : fields;
}

/** The answer that a failed call gets. `error` must have come through `toAppError`, or be a Refusal. */
export function hostCallErrorResult(error: AppError | HostCallError): HostCallResult {
  const failure: GuestError =
    error instanceof HostCallError ? { code: error.code, message: error.message } : toGuestError(error);
  return { ok: false, text: JSON.stringify(failure) };
}
