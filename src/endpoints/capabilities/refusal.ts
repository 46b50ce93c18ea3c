// How a host call fails: as a code and a message that the guest may read, and nothing of the server's inside.
import type { AppError, ErrorItem } from '../../errors.ts';
import type { HostAnswer } from '../sandbox.ts';

/** Codes of host calls beside those of the server's own errors. */
type RefusalCode =
  | 'BAD_ARGUMENTS'
  | 'NOT_GRANTED'
  | 'AMBIGUOUS_NAME'
  | 'TOO_DEEP'
  | 'CLIENT_REMOVED'
  | 'FETCH_REFUSED'
  | 'FETCH_FAILED'
  | 'ABORTED';

/** A failure that is meant for the guest, word by word. */
export class Refusal extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
  }
}

interface Failure {
  readonly code: string;
  readonly message: string;
  /** What is wrong with each field, as HTTP would tell it. */
  readonly errors?: readonly ErrorItem[];
  /** What HTTP would answer: an endpoint that passes the error to `next` answers the same. */
  readonly statusCode?: number;
}

function failureOf(error: AppError): Failure {
  const [first, ...others] = error.items;
  const message = others.length === 0 && first !== undefined ? first.message : error.message;
  const about = { code: error.code, message };
  return error.status < 500 ? { ...about, errors: error.items, statusCode: error.status } : about;
}

/** The answer that a failed call gets. `error` must have come through `toAppError`, or be a Refusal. */
export function failedAnswer(error: AppError | Refusal): HostAnswer {
  const failure: Failure =
    error instanceof Refusal ? { code: error.code, message: error.message } : failureOf(error);
  return { ok: false, text: JSON.stringify(failure) };
}
