// What the server and a render process say to each other: jobs, results, errors and their limits, and the frames in which they
// stand on the pipes, one byte of kind, four of length, then the payload.

import type { Writable } from 'node:stream';
import type { ImageSettings, RasterFormat } from '../recipes/setting-rules.ts';

/** `source`: the format of the original. `compatible`: the same, but one that every browser shows. */
export type FormatCandidate = RasterFormat | 'source' | 'compatible' | 'json';

export interface RenderLimits {
  /** Of the original, all frames together. */
  readonly maxPixels: number;
  readonly maxOutputPixels: number;
  readonly maxFrames: number;
}

export interface RenderJob {
  readonly settings: ImageSettings;
  /** Formats in order of preference. */
  readonly candidates: readonly FormatCandidate[];
  readonly limits: RenderLimits;
  /** For `format: json`. */
  readonly fileName: string;
}

export interface RenderedInfo {
  readonly contentType: string;
  /** Pixels; 0 for `format: json`. */
  readonly width: number;
  readonly height: number;
}

/** A finished rendering, inside the render process. */
export interface RenderResult {
  readonly info: RenderedInfo;
  readonly body: Buffer;
}

type RenderFailure = 'invalid' | 'too-large' | 'crop';

/** Bytes that the renderings of all processes may hold together while they decode. */
export const MAX_DECODING_BYTES = 176 * 1024 * 1024;
/** Where one rendering takes more than this, no process stays idle beside it. */
export const LARGE_RENDERING_BYTES = 48 * 1024 * 1024;
/** A process that holds more is ended at once. */
export const MAX_PROCESS_BYTES = 232 * 1024 * 1024;
/** A process that holds more after a rendering is not used again. */
export const MAX_IDLE_PROCESS_BYTES = 112 * 1024 * 1024;
export const MAX_RESULT_BYTES = 160 * 1024 * 1024;

/** Thrown inside the render process; the message is meant for the client. */
export class RenderError extends Error {
  readonly reason: RenderFailure;

  constructor(reason: RenderFailure, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** J: a JSON message. B: bytes of a body. E: the body is complete. */
export type FrameKind = 'J' | 'B' | 'E';

const HEADER_BYTES = 5;
/** Of one frame. Longer bodies are sent in several. */
export const MAX_FRAME_BYTES = 1024 * 1024;

function writeFrame(stream: Writable, kind: FrameKind, payload: Uint8Array): boolean {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(kind, 'latin1');
  header.writeUInt32BE(payload.length, 1);
  stream.cork();
  stream.write(header);
  const isWritable = stream.write(payload);
  stream.uncork();
  return isWritable;
}

export function writeMessage(stream: Writable, message: object): void {
  writeFrame(stream, 'J', Buffer.from(JSON.stringify(message)));
}

/** False when the caller should wait for `drain`. */
export function writeBytes(stream: Writable, bytes: Uint8Array): boolean {
  let isWritable = true;
  for (let at = 0; at < bytes.length; at += MAX_FRAME_BYTES) {
    isWritable = writeFrame(stream, 'B', bytes.subarray(at, at + MAX_FRAME_BYTES));
  }
  return isWritable;
}

export function writeEnd(stream: Writable): void {
  writeFrame(stream, 'E', new Uint8Array(0));
}

/**
 * Makes a reader that calls `onFrame` for every complete frame of the chunks it is given, and for the bytes of a body as
 * they come, which are the caller's and may change once it returns. Throws on anything else.
 */
export function createPipeReader(onFrame: (kind: FrameKind, payload: Buffer) => void) {
  let header: Buffer = Buffer.alloc(0);
  let kind: FrameKind | undefined;
  let missing = 0;
  let pieces: Buffer[] = [];

  const begin = () => {
    const letter = header.toString('latin1', 0, 1);
    missing = header.readUInt32BE(1);
    if ((letter !== 'J' && letter !== 'B' && letter !== 'E') || missing > MAX_FRAME_BYTES) {
      throw new Error('malformed frame');
    }
    kind = letter;
    header = Buffer.alloc(0);
  };

  return (chunk: Buffer): void => {
    let rest = chunk;
    while (rest.length > 0 || (kind !== undefined && missing === 0)) {
      if (kind === undefined) {
        const taken = rest.subarray(0, HEADER_BYTES - header.length);
        header = Buffer.concat([header, taken]);
        rest = rest.subarray(taken.length);
        if (header.length === HEADER_BYTES) begin();
        continue;
      }
      const taken = rest.subarray(0, missing);
      missing -= taken.length;
      rest = rest.subarray(taken.length);
      if (kind === 'B') {
        if (missing === 0) kind = undefined;
        onFrame('B', taken);
        continue;
      }
      pieces.push(Buffer.from(taken));
      if (missing > 0) continue;
      const payload = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
      const complete = kind;
      kind = undefined;
      pieces = [];
      onFrame(complete, payload);
    }
  };
}
