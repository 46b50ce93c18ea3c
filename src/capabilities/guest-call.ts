// What all guest calls share: arguments, which are JSON of the guest and may be hostile, and errors that the guest may read.

import type { AppError, ErrorItem } from '../errors/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../lib/json/json.ts';
import type { JsonShape, ParseUntrustedJson } from '../lib/json/json-scan.ts';
import type { GuestCallResult } from '../sandbox-supervisor/model/sandbox.ts';
import { MAX_ARGUMENT_BYTES } from '../sandbox-supervisor/protocol/guest-events.ts';

/** Codes of guest calls beside those of the server's own errors. */
type GuestCallErrorCode =
  | 'BAD_ARGUMENTS'
  | 'NOT_GRANTED'
  | 'AMBIGUOUS_NAME'
  | 'TOO_DEEP'
  | 'CLIENT_REMOVED'
  | 'FETCH_REFUSED'
  | 'FETCH_FAILED'
  | 'ABORTED';

/** A failure that is meant for the guest, word by word. */
export class GuestCallError extends Error {
  readonly code: GuestCallErrorCode;

  constructor(code: GuestCallErrorCode, message: string) {
    super(message);
    this.name = 'GuestCallError';
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
export function guestCallErrorResult(error: AppError | GuestCallError): GuestCallResult {
  const failure: GuestError =
    error instanceof GuestCallError ? { code: error.code, message: error.message } : toGuestError(error);
  return { ok: false, text: JSON.stringify(failure) };
}

/** Bounds the time for which parsing and checking block the event loop. */
const MAX_VALUES = 100_000;

function assertShape({ values }: JsonShape): void {
  if (values <= MAX_VALUES) return;
  throw new GuestCallError(
    'BAD_ARGUMENTS',
    `The arguments have more than ${MAX_VALUES} values, each member of an object counted as three`,
  );
}

/** Rejects with BAD_ARGUMENTS for what is no JSON object, is above 1 MB or 100,000 values, or holds what no store could take back. */
export async function parseArguments(text: string, read: ParseUntrustedJson): Promise<JsonObject> {
  if (text.length > MAX_ARGUMENT_BYTES || Buffer.byteLength(text) > MAX_ARGUMENT_BYTES) {
    throw new GuestCallError('BAD_ARGUMENTS', `The arguments have more than ${MAX_ARGUMENT_BYTES} bytes`);
  }
  const { value, issue } = await read(text, assertShape);
  if (!isJsonObject(value)) throw new GuestCallError('BAD_ARGUMENTS', 'The arguments cannot be read');
  if (issue !== undefined) {
    throw new GuestCallError('BAD_ARGUMENTS', `\`${issue.path.slice(0, 200)}\` ${issue.message}`);
  }
  return value;
}

/** An own member; null counts as absent. */
export function getArgument(args: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(args, name) ? (args[name] ?? undefined) : undefined;
}
