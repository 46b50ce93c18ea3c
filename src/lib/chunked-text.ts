// Long texts without ever joining them: the pieces of a text, in order, cut into slices of bounded length.

/** A text, or the pieces that it consists of. No piece ends between the halves of a surrogate pair. */
export type ChunkedText = string | readonly string[];

/** Characters up to which a text is joined, hashed and written in one go. */
export const MAX_JOINED_LENGTH = 262_144;
/** Characters of a slice: at most three times as many bytes. */
export const MAX_CHUNK_LENGTH = 65_536;

/**
 * Memory that a long text takes until it is sent, as a multiple of its bytes: itself, and what reading and encoding it have left
 * behind until the next collection. Measured: 55 MB for a page of 26 MB.
 */
export const LONG_TEXT_COST = 3;

/** UTF-16 units of a text. */
export function textLength(text: ChunkedText): number {
  if (typeof text === 'string') return text.length;
  return text.reduce((sum, piece) => sum + piece.length, 0);
}

/** The text in one piece. For texts that are read as a whole: a long one stays in pieces where it is only sent. */
export const wholeText = (text: ChunkedText): string => (typeof text === 'string' ? text : text.join(''));

/** The control character with which texts are joined that are to be told apart: JSON text never contains it, as it is escaped inside strings. */
export const RECORD_SEPARATOR = '\u{1e}';

/** What stands between joined texts. */
export type Separator = ',' | typeof RECORD_SEPARATOR;

/** Joins `texts`: into one text, or into pieces if it would be long. */
export function joinChunked(texts: readonly string[], separator: Separator = ','): ChunkedText {
  if (textLength(texts) + texts.length <= MAX_JOINED_LENGTH) {
    // A rope: the engine copies its pieces once, when all that is added to it is sent. `join` would copy them now, too.
    let joined = texts[0] ?? '';
    for (let at = 1; at < texts.length; at += 1) joined += `${separator}${texts[at]}`;
    return joined;
  }
  return texts.flatMap((text, index) => (index === 0 ? [text] : [separator, text]));
}

/** A list of joined texts, with their number. */
export interface JoinedTexts {
  readonly text: ChunkedText;
  readonly count: number;
}

/** Joins `texts` and counts them. */
export function joinTexts(texts: readonly string[], separator?: Separator): JoinedTexts {
  return { text: joinChunked(texts, separator), count: texts.length };
}

/** The texts that were joined by record separators. */
export function splitTexts({ text, count }: JoinedTexts): readonly string[] {
  if (count === 0) return [];
  if (typeof text === 'string') return text.split(RECORD_SEPARATOR);
  return text.filter((piece) => piece !== RECORD_SEPARATOR);
}

/** Bytes of a text as UTF-8. */
export function textByteLength(text: ChunkedText): number {
  if (typeof text === 'string') return Buffer.byteLength(text);
  return text.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

function* cut(piece: string): Generator<string> {
  for (let start = 0; start < piece.length; ) {
    let end = Math.min(start + MAX_CHUNK_LENGTH, piece.length);
    if (end < piece.length && isHighSurrogate(piece.charCodeAt(end - 1))) end += 1;
    yield piece.slice(start, end);
    start = end;
  }
}

/**
 * The text in slices of at most `SLICE_CHARACTERS` (and one), for the first time as they are asked for: short pieces
 * together, long ones in parts. Pieces that were taken are let go of, so that their memory comes back on the way.
 */
export function* textChunks(text: ChunkedText): Generator<string> {
  if (typeof text === 'string') return yield* cut(text);
  const rest = text.toReversed();
  let gathered = '';
  for (let piece = rest.pop(); piece !== undefined; piece = rest.pop()) {
    if (gathered.length + piece.length <= MAX_CHUNK_LENGTH) {
      gathered += piece;
    } else {
      if (gathered !== '') yield gathered;
      gathered = '';
      if (piece.length <= MAX_CHUNK_LENGTH) gathered = piece;
      else yield* cut(piece);
    }
  }
  if (gathered !== '') yield gathered;
}
