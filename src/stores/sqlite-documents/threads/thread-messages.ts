// What a worker thread sends back: a value or its error as plain data, and pages of texts. Structured clone drops fields of errors;
// a long page is transferred as one buffer instead of being copied, and decoded in slices.

import { StoreError } from '../../../errors/errors.ts';
import { forEachYielding } from '../../../lib/async/maybe-promise.ts';
import { MAX_JOINED_LENGTH, textLength } from '../../../lib/chunked-text.ts';
import {
  asStoreError,
  StorageError,
  type StorageErrorKind,
  storageErrorKindOf,
} from '../data-file/storage-errors.ts';

export type ThreadResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ThreadError };

interface ThreadError {
  readonly reason: StoreError['reason'];
  readonly index: number | undefined;
  readonly fields: readonly string[];
  readonly explanation: string | undefined;
  readonly kind: StorageErrorKind | undefined;
  /** Message of the driver, for the log. */
  readonly detail: string;
}

/** Runs `work` and returns its value or its error as data. Errors other than StoreErrors become `unavailable` or `damaged`. */
export function captureResult<T>(work: () => T): ThreadResult<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    const storeError = asStoreError(error);
    const { reason, index, fields, explanation, cause } = storeError;
    const detail = cause instanceof Error ? cause.message : String(cause ?? '');
    const kind = storageErrorKindOf(storeError);
    return { ok: false, error: { reason, index, fields, explanation, kind, detail } };
  }
}

/** Returns the value of a result, or throws its error as a StoreError. */
export function unwrapResult<T>(result: ThreadResult<T>): T {
  if (result.ok) return result.value;
  const { reason, index, fields, explanation, kind, detail } = result.error;
  throw new StoreError(reason, {
    fields,
    ...(explanation === undefined ? {} : { explanation }),
    ...(index === undefined ? {} : { index }),
    ...(kind === undefined ? {} : { cause: new StorageError(kind, detail) }),
  });
}

interface TextBuffer {
  /** All texts as UTF-8, concatenated. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** End offset of each text. */
  readonly ends: Uint32Array;
}

export type SerializedTexts = readonly string[] | TextBuffer;

/** Returns short pages as they are, long ones as one buffer. */
export function serializeTexts(texts: readonly string[]): SerializedTexts {
  if (textLength(texts) <= MAX_JOINED_LENGTH) return texts;
  const ends = new Uint32Array(texts.length);
  let size = 0;
  for (const [index, text] of texts.entries()) {
    size += Buffer.byteLength(text);
    ends[index] = size;
  }
  // `allocUnsafeSlow` does not use the shared pool, which cannot be transferred.
  const bytes = Buffer.allocUnsafeSlow(size);
  for (const [index, text] of texts.entries()) bytes.write(text, ends[index - 1] ?? 0);
  return { bytes, ends };
}

const isBuffer = (texts: SerializedTexts): texts is TextBuffer => !Array.isArray(texts);

/** Returns the transfer list of the message. */
export function transferListOf(texts: SerializedTexts): readonly ArrayBuffer[] {
  return isBuffer(texts) ? [texts.bytes.buffer] : [];
}

/** Returns the texts. A buffer can be deserialized once. */
export async function deserializeTexts(serialized: SerializedTexts): Promise<readonly string[]> {
  if (!isBuffer(serialized)) return serialized;
  const { bytes, ends } = serialized;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const texts: string[] = [];
  await forEachYielding(ends, (end, index) => {
    texts.push(buffer.toString('utf8', ends[index - 1] ?? 0, end));
  });
  // Frees the memory at once: until the garbage collector does it, a few pages may take a gigabyte.
  bytes.buffer.transfer(0);
  return texts;
}
