// The progress bar, which is shown at a terminal only.
import { Presets, SingleBar } from 'cli-progress';

export interface ProgressStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
}

export interface ProgressBar {
  /** `value` is a part of the total, `count` is shown beside the bar. */
  update(value: number, count: number): void;
  /** Removes the bar, so that lines can be printed. */
  stop(): void;
}

const NO_BAR: ProgressBar = { update: () => undefined, stop: () => undefined };

/** Creates a bar up to `total`; none if that is unknown, or the stream is not a terminal. `unit` is what is counted. */
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
