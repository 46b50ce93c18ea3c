// Maps errors of the driver to StoreErrors, without documents, commands or secrets in them; and retries operations after those
// that pass: a new primary, a killed query, a broken connection.
import {
  type Document,
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import { jitteredBackOff, type Random, retry } from '../../../lib/async/retry.ts';
import type { OperationScope } from './types.ts';

type ErrorReason = StoreError['reason'];

/**
 * Codes that say more than that the server failed, which all others do:
 * https://github.com/mongodb/mongo/blob/r6.0.5/src/mongo/base/error_codes.yml
 */
const REASON_BY_CODE: ReadonlyMap<number, ErrorReason> = new Map([
  [6, 'unavailable'], // HostUnreachable
  [7, 'unavailable'], // HostNotFound
  [13, 'unavailable'], // Unauthorized
  [18, 'unavailable'], // AuthenticationFailed
  [24, 'busy'], // LockTimeout
  [46, 'busy'], // LockBusy
  [50, 'timeout'], // MaxTimeMSExpired
  [64, 'timeout'], // WriteConcernFailed
  [89, 'unavailable'], // NetworkTimeout
  [91, 'unavailable'], // ShutdownInProgress
  [100, 'unavailable'], // UnsatisfiableWriteConcern
  [112, 'busy'], // WriteConflict
  [121, 'refused'], // DocumentValidationFailure: a rule that somebody gave the collection
  [133, 'unavailable'], // FailedToSatisfyReadPreference
  [134, 'unavailable'], // ReadConcernMajorityNotAvailableYet
  [146, 'too-much'], // ExceededMemoryLimit
  [166, 'refused'], // CommandNotSupportedOnView
  [171, 'parallel-arrays'], // CannotIndexParallelArrays
  [189, 'unavailable'], // PrimarySteppedDown
  [202, 'timeout'], // NetworkInterfaceExceededTimeLimit
  [251, 'busy'], // NoSuchTransaction: the server gave it up
  [257, 'too-large'], // TransactionTooLarge
  [262, 'timeout'], // ExceededTimeLimit
  [290, 'timeout'], // TransactionExceededLifetimeLimitSeconds
  [292, 'too-much'], // QueryExceededMemoryLimitNoDiskUseAllowed
  [358, 'unavailable'], // InternalTransactionNotSupported, while a cluster changes its version
  [388, 'too-much'], // TransactionTooLargeForCache
  [8000, 'unavailable'], // AtlasError: its word for a wrong user or password
  [9001, 'unavailable'], // SocketException
  [10058, 'unavailable'], // LegacyNotPrimary
  [10107, 'unavailable'], // NotWritablePrimary
  [10334, 'too-large'], // BSONObjectTooLarge
  [11000, 'duplicate'], // DuplicateKey
  [11001, 'duplicate'],
  [11600, 'unavailable'], // InterruptedAtShutdown
  [11601, 'timeout'], // Interrupted: an operator ended it
  [11602, 'unavailable'], // InterruptedDueToReplStateChange
  [12582, 'duplicate'],
  [13435, 'unavailable'], // NotPrimaryNoSecondaryOk
  [13436, 'unavailable'], // NotPrimaryOrSecondary
  [16746, 'parallel-arrays'], // A number in an index's path that is both a position and a name in one list
  [17419, 'too-large'], // A document that an update would make too large
  [17420, 'too-large'],
]);

/** Whether the code of an error says more than that the server failed. */
export const hasReason = (code: unknown): boolean => typeof code === 'number' && REASON_BY_CODE.has(code);

/** Messages of errors without a code, or with one of several meanings. */
const REASON_BY_MESSAGE: readonly (readonly [RegExp, ErrorReason])[] = [
  [/cannot (?:sort with keys that are|index) parallel arrays/, 'parallel-arrays'],
  [/larger than the maximum size|object to insert too large/, 'too-large'],
];

/** The driver's own failures, by their names: not all of their classes are exported. */
const REASON_BY_NAME: ReadonlyMap<string, ErrorReason> = new Map([
  ['MongoWaitQueueTimeoutError', 'busy'],
  ['MongoPoolClosedError', 'unavailable'],
  ['MongoTopologyClosedError', 'unavailable'],
  ['MongoClientClosedError', 'unavailable'],
  ['MongoServerClosedError', 'unavailable'],
  ['MongoNotConnectedError', 'unavailable'],
  ['MongoStalePrimaryError', 'unavailable'],
  ['MongoExpiredSessionError', 'unavailable'],
  ['MongoOperationTimeoutError', 'timeout'],
  ['MongoUnexpectedServerResponseError', 'unavailable'],
]);

/** Whether a transaction may be retried from its start after this driver error. */
export function isTransientTransactionError(error: unknown): boolean {
  if (!(error instanceof MongoError)) return false;
  return error.hasErrorLabel('TransientTransactionError') || error.code === 112;
}

/** Whether the result of a commit is unknown, so that it must be sent again. */
export function isUnknownCommitResult(error: unknown): boolean {
  return error instanceof MongoError && error.hasErrorLabel('UnknownTransactionCommitResult');
}

/** The paths of the violated index, without the `_id` that own indexes end in. A bulk write does not report them. */
function duplicateKeyPaths(error: MongoError): readonly string[] {
  const pattern: unknown = Reflect.get(error, 'keyPattern');
  const paths = typeof pattern === 'object' && pattern !== null ? Object.keys(pattern) : [];
  return paths.length > 1 && paths.at(-1) === '_id' ? paths.slice(0, -1) : paths;
}

/** The fields that a schema of the collection is about: https://www.mongodb.com/docs/manual/core/schema-validation/ */
function invalidFields(error: MongoError): readonly string[] {
  const rules: unknown = Object(Reflect.get(error, 'errInfo')).details?.schemaRulesNotSatisfied;
  if (!Array.isArray(rules)) return [];
  const names = rules.flatMap(({ propertiesNotSatisfied = [], missingProperties = [] }: Document) => [
    ...propertiesNotSatisfied.map(({ propertyName }: Document) => propertyName),
    ...missingProperties,
  ]);
  return [...new Set(names)].filter((name) => typeof name === 'string');
}

const FIELDS_BY_REASON: Readonly<Partial<Record<ErrorReason, (error: MongoError) => readonly string[]>>> = {
  duplicate: duplicateKeyPaths,
  refused: invalidFields,
};

/** Codes of Node.js for a connection that is gone. The driver hands some of these errors on as they are. */
const SOCKET_CODE = /^E(?:RR_(?:STREAM|SOCKET|SSL|TLS)_|(?!RR_)[A-Z])/;

function isSocketError(error: Error): boolean {
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' && SOCKET_CODE.test(code);
}

/** Where an error was made, functions of Node and of the language aside. */
const CALL_SITE = /^\s+at (?!.*(?:\bnode:|\(<anonymous>\))).*$/m;
const DRIVER = /[\\/]node_modules[\\/](?:mongodb|bson)[\\/]/;

/** Whether the driver threw by a defect of its own. */
function isDriverDefect({ stack = '' }: Error): boolean {
  return DRIVER.test(CALL_SITE.exec(stack)?.[0] ?? '');
}

function isNetworkError(error: MongoError): boolean {
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) return true;
  // A bulk write wraps the error that ended it, and only errors of a server have a numeric code.
  return error instanceof MongoBulkWriteError && typeof error.code !== 'number';
}

function reasonOf(error: MongoError): ErrorReason {
  // Codes come first: a message may contain text of a document.
  const coded = typeof error.code === 'number' ? REASON_BY_CODE.get(error.code) : undefined;
  const known = coded ?? REASON_BY_NAME.get(error.name);
  const worded = known ?? REASON_BY_MESSAGE.find(([words]) => words.test(error.message))?.[1];
  return worded ?? (isNetworkError(error) ? 'unavailable' : 'failed');
}

/** The driver has buffers for 17 MB and writes on past their end: numbers and text by Node, bytes by `Uint8Array`. */
function isBufferOverrun(error: unknown): boolean {
  if (!(error instanceof RangeError)) return false;
  return (
    Reflect.get(error, 'code') === 'ERR_OUT_OF_RANGE' ||
    (error.message === 'offset is out of bounds' && isDriverDefect(error))
  );
}

/**
 * The StoreError of a thrown value; StoreErrors unchanged. Server errors that are not known to be the client's are
 * failures of the database. Throws defects of this process. Causes contain no documents.
 */
export function driverErrorToStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  if (isBufferOverrun(error)) return new StoreError('too-large', { cause: sanitizedCause(error) });
  if (!(error instanceof Error)) throw error;
  if (error instanceof MongoError) {
    const reason = reasonOf(error);
    return new StoreError(reason, {
      cause: sanitizedCause(error),
      fields: FIELDS_BY_REASON[reason]?.(error) ?? [],
    });
  }
  if (isSocketError(error)) return new StoreError('unavailable', { cause: sanitizedCause(error) });
  if (isDriverDefect(error)) return new StoreError('failed', { cause: sanitizedCause(error) });
  throw error;
}

/** A StoreError, or the defect that it is. */
export function toStoreErrorOrDefect(error: unknown): Error {
  try {
    return driverErrorToStoreError(error);
  } catch (defect) {
    return defect instanceof Error ? defect : new Error(String(defect));
  }
}

/** Beyond this many characters the rest of a message is dropped. */
const MAX_MESSAGE = 1000;

/** Parts of messages that quote a document or a command. */
const SENSITIVE_PARTS: readonly (readonly [RegExp, string])[] = [
  [/( dup key: ).*/s, '$1…'],
  [/(to execute command \{ \w+: ).*/s, '$1…'],
  [/\/\/[^\s/@]*@/g, '//…@'],
];

const withoutSensitiveParts = (text: string): string =>
  SENSITIVE_PARTS.reduce((kept, [content, instead]) => kept.replace(content, instead), text).slice(
    0,
    MAX_MESSAGE,
  );

/** An error with the message, name, code and stack of a driver error, and nothing else of it. */
export function sanitizedCause(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(withoutSensitiveParts(String(error)));
  const plain = new Error(withoutSensitiveParts(error.message));
  plain.name = error.name;
  // The stack repeats the message.
  const callSites = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  plain.stack = [`${plain.name}: ${plain.message}`, ...callSites].join('\n');
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'number' || typeof code === 'string' ? Object.assign(plain, { code }) : plain;
}

/** Takes each of the secrets out of an error and its causes, wherever the driver repeated one. */
export function redactSecrets(error: Error, secrets: readonly string[]): void {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    cause.message = redactText(cause.message, secrets);
    cause.stack = redactText(cause.stack ?? '', secrets);
  }
}

/** The text without any of the secrets. */
export function redactText(text: string, secrets: readonly string[]): string {
  return secrets.reduce((kept, secret) => kept.replaceAll(secret, '[redacted]'), text);
}

/** How often the same is tried in all. */
const MAX_ATTEMPTS = 5;
/** Bounds of the pause before the next attempt, in milliseconds. */
const BACK_OFF = { firstMs: 10, maxMs: 200 };

/** Rejected for good: Unauthorized, AuthenticationFailed, AtlasError. */
const PERMANENT_CODES: ReadonlySet<unknown> = new Set([13, 18, 8000]);
/** NetworkInterfaceExceededTimeLimit, ExceededTimeLimit: limits of the server, not of the caller. */
const SERVER_TIME_LIMITS: ReadonlySet<unknown> = new Set([202, 262]);

/** LockTimeout, LockBusy, WriteConflict, ConflictingOperationInProgress, QueryPlanKilled: the command did nothing. */
const UNAPPLIED_CODES: ReadonlySet<unknown> = new Set([24, 46, 112, 117, 175]);

/** Whether an operation that threw this driver error may succeed on the next attempt. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof StoreError) return error.reason === 'failed';
  if (error instanceof MongoServerSelectionError) return false;
  if (error instanceof MongoError) {
    // It has waited as long as it may.
    if (error.name === 'MongoWaitQueueTimeoutError' || PERMANENT_CODES.has(error.code)) return false;
    if (SERVER_TIME_LIMITS.has(error.code)) return true;
  }
  const failure = toStoreErrorOrDefect(error);
  return failure instanceof StoreError && ['unavailable', 'failed', 'busy'].includes(failure.reason);
}

/** Whether a write of one document was rejected before it had any effect. */
export function isUnappliedWrite(error: unknown): boolean {
  if (!(error instanceof MongoServerError) || error instanceof MongoWriteConcernError) return false;
  return UNAPPLIED_CODES.has(error.code);
}

interface StoreRetryOptions {
  /** Whether another attempt may follow this error. */
  readonly isRetryable: (error: unknown) => boolean;
  readonly random?: Random;
}

/** Runs `work` up to five times, as long as its errors are retryable and the deadline has not passed. */
export function retryOperation<T>(
  scope: Pick<OperationScope, 'remainingMs'>,
  work: () => Promise<T>,
  { isRetryable: shouldRetry, random }: StoreRetryOptions,
): Promise<T> {
  return retry(work, {
    shouldRetry,
    maxAttempts: MAX_ATTEMPTS,
    delayMs: (attempt) => jitteredBackOff(attempt, BACK_OFF, random),
    checkDeadline: () => void scope.remainingMs(),
  });
}

/** Retries an operation that only reads: any attempt may be repeated after a passing error. */
export const retryRead = <T>(
  scope: Pick<OperationScope, 'remainingMs'>,
  work: () => Promise<T>,
  random?: Random,
): Promise<T> => retryOperation(scope, work, { isRetryable, ...(random && { random }) });
