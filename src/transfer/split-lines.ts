// Splits a stream of bytes at its line feeds.
import { AppError } from '../errors/errors.ts';

export interface InputLine {
  /** Counted from 1. */
  readonly number: number;
  /** Without the line feed. */
  readonly bytes: Uint8Array;
  /** False for the bytes after the last line feed. */
  readonly ended: boolean;
}

const LINE_FEED = 0x0a;

/** The error for a line of the file. `message` is for the operator, `cause` for developers. */
export function lineError(line: number, message: string, cause?: unknown): AppError {
  return new AppError('DOCUMENT_INVALID', { message: `line ${line}: ${message}`, cause });
}

/** Yields the lines of `source`. Throws DOCUMENT_INVALID for one above `maxBytes` before all of it is in memory. */
export async function* splitLines(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<InputLine> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let number = 1;
  const add = (part: Uint8Array) => {
    length += part.length;
    if (length > maxBytes) throw lineError(number, `is longer than ${maxBytes} bytes`);
    parts.push(part);
  };
  const take = (ended: boolean): InputLine => {
    const [only] = parts;
    const line = {
      number,
      bytes: parts.length === 1 && only !== undefined ? only : Buffer.concat(parts),
      ended,
    };
    parts = [];
    length = 0;
    number += 1;
    return line;
  };
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, end));
      yield take(true);
      start = end + 1;
    }
    if (start < chunk.length) add(chunk.subarray(start));
  }
  if (length > 0) yield take(false);
}
