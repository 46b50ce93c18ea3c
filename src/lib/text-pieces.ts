// Long texts without ever joining them: the pieces of a text, in order, cut into slices of bounded length.

/** A text, or the pieces that it consists of. No piece ends between the halves of a surrogate pair. */
export type Text = string | readonly string[];

/** Characters up to which a text is joined, hashed and written in one go. */
export const LONG_TEXT = 262_144;
/** Characters of a slice: at most three times as many bytes. */
export const SLICE_CHARACTERS = 65_536;

/** UTF-16 units of a text. */
export function lengthOf(text: Text): number {
  if (typeof text === 'string') return text.length;
  return text.reduce((sum, piece) => sum + piece.length, 0);
}

/** Bytes of a text as UTF-8. */
export function byteLengthOf(text: Text): number {
  if (typeof text === 'string') return Buffer.byteLength(text);
  return text.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

function* cut(piece: string): Generator<string> {
  for (let start = 0; start < piece.length; ) {
    let end = Math.min(start + SLICE_CHARACTERS, piece.length);
    if (end < piece.length && isHighSurrogate(piece.charCodeAt(end - 1))) end += 1;
    yield piece.slice(start, end);
    start = end;
  }
}

/**
 * The text in slices of at most `SLICE_CHARACTERS` (and one), for the first time as they are asked for: short pieces
 * together, long ones in parts. Pieces that were taken are let go of, so that their memory comes back on the way.
 */
export function* slicesOf(text: Text): Generator<string> {
  if (typeof text === 'string') return yield* cut(text);
  const rest = text.toReversed();
  let gathered = '';
  for (let piece = rest.pop(); piece !== undefined; piece = rest.pop()) {
    if (gathered.length + piece.length <= SLICE_CHARACTERS) {
      gathered += piece;
    } else {
      if (gathered !== '') yield gathered;
      gathered = '';
      if (piece.length <= SLICE_CHARACTERS) gathered = piece;
      else yield* cut(piece);
    }
  }
  if (gathered !== '') yield gathered;
}
