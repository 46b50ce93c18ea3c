// What readers of image headers share: dimensions, and the first and last bytes of a file, checked on every read.

/** Thrown when a reader asks for bytes that are not at hand: the file is truncated, lies, or is too long. */
export class OutOfReachError extends Error {}

export class FileBytes {
  readonly #head: DataView;
  readonly #tail: DataView;
  readonly #tailStart: number;

  #missed = false;

  /** Bytes of the whole file. */
  readonly size: number;

  /** `tail` are the last bytes of the file; it may overlap with `head`. */
  constructor(head: Uint8Array, size = head.length, tail: Uint8Array = new Uint8Array(0)) {
    this.#head = new DataView(head.buffer, head.byteOffset, head.byteLength);
    this.#tail = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
    this.#tailStart = size - tail.length;
    this.size = size;
  }

  /** Whether anything was asked for that is not at hand: with more bytes the answer may be another. */
  get missed(): boolean {
    return this.#missed;
  }

  u8(offset: number): number {
    const [view, at] = this.#at(offset, 1);
    return view.getUint8(at);
  }

  u16(offset: number, littleEndian = false): number {
    const [view, at] = this.#at(offset, 2);
    return view.getUint16(at, littleEndian);
  }

  u32(offset: number, littleEndian = false): number {
    const [view, at] = this.#at(offset, 4);
    return view.getUint32(at, littleEndian);
  }

  /** Bytes as Latin-1 text. */
  text(offset: number, length: number): string {
    const [view, at] = this.#at(offset, length);
    return Buffer.from(view.buffer, view.byteOffset + at, length).toString('latin1');
  }

  /** Does the file have exactly this Latin-1 text at the offset? False as well where its bytes are not at hand. */
  has(offset: number, text: string): boolean {
    return this.#find(offset, text.length) !== undefined && this.text(offset, text.length) === text;
  }

  #at(offset: number, length: number): [DataView, number] {
    const found = this.#find(offset, length);
    if (found === undefined) throw new OutOfReachError();
    return found;
  }

  #find(offset: number, length: number): [DataView, number] | undefined {
    if (offset >= 0 && offset + length <= this.#head.byteLength) return [this.#head, offset];
    const at = offset - this.#tailStart;
    if (at >= 0 && at + length <= this.#tail.byteLength) return [this.#tail, at];
    this.#missed = true;
    return undefined;
  }
}

/** What `read` returns, or `otherwise` where it throws an OutOfReachError. */
export function readOr<Found, Otherwise>(read: () => Found, otherwise: Otherwise): Found | Otherwise {
  try {
    return read();
  } catch (error) {
    if (error instanceof OutOfReachError) return otherwise;
    throw error;
  }
}

/** In pixels, as shown: the orientation that the file asks for is applied. */
export interface Dimensions {
  readonly width: number;
  readonly height: number;
}

/** Undefined for a file of another format. Throws OutOfReachError when its dimensions are not at hand. */
export type ImageReader = (bytes: FileBytes) => Dimensions | undefined;

/** What the first reader says that knows the format; undefined if none does. Throws as they do. */
export function firstDimensions(readers: readonly ImageReader[], bytes: FileBytes): Dimensions | undefined {
  for (const reader of readers) {
    const dimensions = reader(bytes);
    if (dimensions !== undefined) return dimensions;
  }
  return undefined;
}

const MAX_SIDE = 1_000_000;
const isSide = (pixels: number) => Number.isInteger(pixels) && pixels >= 1 && pixels <= MAX_SIDE;

/** Whether an image may have these dimensions. */
export const isPlausible = ({ width, height }: Dimensions): boolean => isSide(width) && isSide(height);

/** Applies an EXIF orientation: 5 to 8 are turned by a quarter. */
export function applyOrientation({ width, height }: Dimensions, orientation = 1): Dimensions {
  const isQuarterTurn = orientation >= 5 && orientation <= 8;
  return isQuarterTurn ? { width: height, height: width } : { width, height };
}
