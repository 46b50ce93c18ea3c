// The bar that a person at a terminal watches. Whoever reads the stream later finds nothing of it.
import { Presets, SingleBar } from 'cli-progress';

export interface ProgressStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
}

export interface Progress {
  /** `value` is a part of the total, `documents` is shown beside the bar. */
  update(value: number, documents: number): void;
  /** Takes the bar away, so that lines can be printed. */
  stop(): void;
}

const NO_BAR: Progress = { update: () => undefined, stop: () => undefined };

/** A bar up to `total`; none where that is unknown, or the stream is no terminal. */
export function createProgress(stream: ProgressStream, total: number | undefined): Progress {
  if (stream.isTTY !== true || total === undefined || total === 0) return NO_BAR;
  const format = ' {bar} {percentage}% | {documents} documents | {eta_formatted} left';
  const settings = { stream, format, clearOnComplete: true, gracefulExit: false, etaBuffer: 50 };
  const bar = new SingleBar(settings, Presets.shades_classic);
  bar.start(total, 0, { documents: 0 });
  return {
    update: (value, documents) => bar.update(value, { documents: documents.toLocaleString('en') }),
    stop: () => bar.stop(),
  };
}
