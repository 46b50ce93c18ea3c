// Messages between the server and a render process: jobs, results, errors, and their limits.

import type { ImageSettings } from '../recipes/setting-rules.ts';
import type { FormatCandidate } from './negotiate-format.ts';

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
