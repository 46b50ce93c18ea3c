// A page of texts from a reader thread. A long page is transferred as one buffer instead of being copied, and decoded in slices.
import { forEachYielding } from '../../../lib/async/yielding.ts';
import { MAX_JOINED_LENGTH, textLength } from '../../../lib/chunked-text.ts';

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
