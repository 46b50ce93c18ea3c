// Growing buffer that JSON text is written into.
export interface JsonOutput {
  bytes: Buffer;
  at: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Up to this length a loop beats the calls that longer text goes through. */
const MAX_LOOP_BYTES = 48;

/** Room for about `size` bytes to begin with. */
export function createJsonOutput(size: number): JsonOutput {
  return { bytes: Buffer.allocUnsafe(size), at: 0 };
}

/** Everything written so far. */
export function jsonText(out: JsonOutput): string {
  return out.bytes.toString('utf8', 0, out.at);
}

/** Grows the buffer for `more` bytes. */
function reserve(out: JsonOutput, more: number): void {
  if (out.at + more <= out.bytes.length) return;
  const larger = Buffer.allocUnsafe(Math.max(out.bytes.length * 2, out.at + more));
  out.bytes.copy(larger, 0, 0, out.at);
  out.bytes = larger;
}

/** Writes one ASCII character. */
export function writeByte(out: JsonOutput, byte: number): void {
  if (out.at === out.bytes.length) reserve(out, 1);
  out.bytes[out.at] = byte;
  out.at += 1;
}

/** Writes text of ASCII alone, such as numbers and names of constants. */
export function writeAscii(out: JsonOutput, text: string): void {
  reserve(out, text.length);
  for (let index = 0; index < text.length; index += 1) out.bytes[out.at + index] = text.charCodeAt(index);
  out.at += text.length;
}

/** Writes any text as a JSON string. */
export function writeString(out: JsonOutput, text: string): void {
  const json = JSON.stringify(text);
  reserve(out, json.length * 3);
  out.at += out.bytes.write(json, out.at, 'utf8');
}

/** Writes UTF-8 from `source` as a JSON string. */
export function writeUtf8(out: JsonOutput, source: Buffer, range: { from: number; to: number }): void {
  const { from, to } = range;
  if (to - from > MAX_LOOP_BYTES) {
    writeString(out, source.toString('utf8', from, to));
    return;
  }
  reserve(out, to - from + 2);
  const { bytes } = out;
  let at = out.at;
  bytes[at] = QUOTE;
  for (let index = from; index < to; index += 1) {
    const byte = source[index] as number;
    if (byte < 0x20 || byte > 0x7e || byte === QUOTE || byte === BACKSLASH) {
      writeString(out, source.toString('utf8', from, to));
      return;
    }
    at += 1;
    bytes[at] = byte;
  }
  bytes[at + 1] = QUOTE;
  out.at = at + 2;
}
