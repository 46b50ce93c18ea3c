// A long page on its way from a reader thread: its bytes change hands instead of being copied, and are decoded in turns
// with other work.
import { forEachYielding } from '../../../lib/async/yielding.ts';
import { MAX_JOINED_LENGTH, textLength } from '../../../lib/chunked-text.ts';

interface TextBuffer {
  /** All texts as UTF-8, one behind the other. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each text ends. */
  readonly ends: Uint32Array;
}

export type SerializedTexts = readonly string[] | TextBuffer;

/** The texts themselves when they are short together, else their parcel. */
export function serializeTexts(texts: readonly string[]): SerializedTexts {
  if (textLength(texts) <= MAX_JOINED_LENGTH) return texts;
  const ends = new Uint32Array(texts.length);
  let size = 0;
  for (const [index, text] of texts.entries()) {
    size += Buffer.byteLength(text);
    ends[index] = size;
  }
  // Not of the pool, which other buffers share.
  const bytes = Buffer.allocUnsafeSlow(size);
  for (const [index, text] of texts.entries()) bytes.write(text, ends[index - 1] ?? 0);
  return { bytes, ends };
}

const isParcel = (texts: SerializedTexts): texts is TextBuffer => !Array.isArray(texts);

/** What is to be transferred with the texts. */
export function transferListOf(texts: SerializedTexts): readonly ArrayBuffer[] {
  return isParcel(texts) ? [texts.bytes.buffer] : [];
}

/** The texts again. A parcel can be opened once. */
export async function deserializeTexts(packed: SerializedTexts): Promise<readonly string[]> {
  if (!isParcel(packed)) return packed;
  const { bytes, ends } = packed;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const texts: string[] = [];
  await forEachYielding(ends, (end, index) => {
    texts.push(buffer.toString('utf8', ends[index - 1] ?? 0, end));
  });
  // Their memory comes back at once: left to the garbage collector, a few pages take a gigabyte.
  bytes.buffer.transfer(0);
  return texts;
}
