// The bar that a person at a terminal watches. Whoever reads the stream later finds nothing of it.
import { Presets, SingleBar } from 'cli-progress';

export interface ProgressStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
}

export interface ProgressBar {
  /** `value` is a part of the total, `count` is shown beside the bar. */
  update(value: number, count: number): void;
  /** Takes the bar away, so that lines can be printed. */
  stop(): void;
}

const NO_BAR: ProgressBar = { update: () => undefined, stop: () => undefined };

/** A bar up to `total`; none where that is unknown, or the stream is no terminal. `unit` is what is counted. */
export function createProgressBar(
  stream: ProgressStream,
  total: number | undefined,
  unit: 'documents' | 'files' = 'documents',
): ProgressBar {
  if (stream.isTTY !== true || total === undefined || total === 0) return NO_BAR;
  const format = ` {bar} {percentage}% | {count} ${unit} | {eta_formatted} left`;
  const settings = { stream, format, clearOnComplete: true, gracefulExit: false, etaBuffer: 50 };
  const bar = new SingleBar(settings, Presets.shades_classic);
  bar.start(total, 0, { count: 0 });
  return {
    update: (value, count) => bar.update(value, { count: count.toLocaleString('en') }),
    stop: () => bar.stop(),
  };
}
