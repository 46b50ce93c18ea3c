// What all guest calls share: arguments, which are JSON of the guest and may be hostile, and errors that the guest may read.

import { AppError, type ErrorItem } from '../errors/errors.ts';
import { isJsonObject, type Json, type JsonIssue, type JsonObject } from '../lib/json/json.ts';
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

/** The message of an item with the name of the field, which HTTP shows beside it. */
function nameField({ field, message }: ErrorItem): string {
  // Long texts are cut.
  return field === undefined || message.includes(`\`${field.slice(0, 100)}`)
    ? message
    : `\`${field}\`: ${message}`;
}

function toGuestError(error: AppError): GuestError {
  const [first, ...others] = error.items;
  const message = others.length === 0 && first !== undefined ? nameField(first) : error.message;
  const fields = { code: error.code, message };
  if (error.status === 500) return fields;
  const { status: statusCode, items } = error;
  return statusCode < 500 ? { ...fields, errors: items, statusCode } : { ...fields, statusCode };
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

/** The 400 that HTTP would answer for such a body: the documents of a create are all of it. */
function valueError({ path, message }: JsonIssue): AppError {
  const field = path.replace(/^documents\./, '');
  return new AppError('BAD_REQUEST', { field, message: `\`${field}\` ${message}` });
}

/**
 * `envelope`: levels of the arguments that no client nests. Rejects with BAD_ARGUMENTS for what is no JSON object, or is above
 * 1 MB or 100,000 values, and with BAD_REQUEST for what no store could take back.
 */
export async function parseArguments(
  text: string,
  read: ParseUntrustedJson,
  envelope = 0,
): Promise<JsonObject> {
  if (text.length > MAX_ARGUMENT_BYTES || Buffer.byteLength(text) > MAX_ARGUMENT_BYTES) {
    throw new GuestCallError('BAD_ARGUMENTS', `The arguments have more than ${MAX_ARGUMENT_BYTES} bytes`);
  }
  const { value, issue } = await read(text, assertShape, envelope);
  if (!isJsonObject(value)) throw new GuestCallError('BAD_ARGUMENTS', 'The arguments cannot be read');
  if (issue !== undefined) throw valueError(issue);
  return value;
}

/** An own member; null counts as absent. */
export function getArgument(args: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(args, name) ? (args[name] ?? undefined) : undefined;
}
