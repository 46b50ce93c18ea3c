// Maps store errors to the errors that clients see: one row for each reason.
import { AppError, type ErrorCode, type ErrorItem, StoreError } from './errors.ts';

type StoreErrorReason = StoreError['reason'];

/** What an item says about a field that the store error names. */
type FieldIssue = Pick<ErrorItem, 'message' | 'code'>;

interface StoreErrorRule {
  /** Of a request that hits this error anywhere but in a document that it writes. */
  readonly code: ErrorCode;
  readonly message?: string;
  readonly field?: FieldIssue;
  /** Set if the cause may be a document that the request writes: then it is a DOCUMENT_INVALID with this item. */
  readonly document?: FieldIssue;
}

const RULES: Readonly<Record<StoreErrorReason, StoreErrorRule>> = {
  unavailable: { code: 'STORE_UNAVAILABLE' },
  damaged: { code: 'STORE_UNAVAILABLE' },
  failed: { code: 'STORE_UNAVAILABLE' },
  // Only a start meets it.
  'in-use': { code: 'STORE_UNAVAILABLE' },
  timeout: { code: 'QUERY_TIMEOUT' },
  busy: { code: 'STORE_BUSY' },
  conflict: { code: 'STORE_BUSY' },
  duplicate: {
    code: 'DOCUMENT_INVALID',
    field: { message: 'must be unique', code: 'ERROR_UNIQUE' },
    document: { message: 'must be unique', code: 'ERROR_UNIQUE' },
  },
  'parallel-arrays': {
    code: 'BAD_REQUEST',
    field: { message: 'holds a list, as another field of the same index or sort does' },
    document: {
      message: 'holds a list, as another field of the same index does',
      code: 'ERROR_VALUE_INVALID',
    },
  },
  // A rule of the database rejected the write. For anything but a document of the client that is a defect of the installation.
  refused: {
    code: 'STORE_UNAVAILABLE',
    document: {
      message: 'breaks a rule that the database has for this collection',
      code: 'ERROR_VALUE_INVALID',
    },
  },
  'index-conflict': { code: 'SPECIFICATION_INVALID' },
  'too-large': { code: 'PAYLOAD_TOO_LARGE' },
  'filter-too-large': { code: 'PAYLOAD_TOO_LARGE', message: 'The filter is too large for the database' },
  'too-much': { code: 'RESULT_TOO_LARGE' },
};

/** The item for a document that the store rejected for this reason; undefined if no document can be the cause. */
export function documentIssueOf(reason: StoreErrorReason): FieldIssue | undefined {
  return RULES[reason].document;
}

function codeOf({ reason, store }: StoreError): ErrorCode {
  const { code } = RULES[reason];
  return store === 'media' && code === 'STORE_UNAVAILABLE' ? 'MEDIA_UNAVAILABLE' : code;
}

function fromStoreError(error: StoreError): AppError {
  const { message, field: issue } = RULES[error.reason];
  const code = codeOf(error);
  if (issue === undefined || error.fields.length === 0) {
    const text = message ?? error.explanation;
    return new AppError(code, { ...(text !== undefined && { message: text }), cause: error });
  }
  const position = error.index === undefined ? {} : { index: error.index };
  const items = error.fields.map((field) => ({ field, ...issue, ...position }));
  return new AppError(code, { items, cause: error });
}

/** Any thrown value as an error that a client may see: an unknown one becomes INTERNAL, which says nothing about its cause. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof StoreError) return fromStoreError(error);
  return new AppError('INTERNAL', { cause: error });
}
