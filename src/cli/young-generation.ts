// Bounds V8's young generation, where short-lived objects are. By default it grows to 32 MB, which makes a server of half that
// heap twice as large, and no faster.
import { PerformanceObserver } from 'node:perf_hooks';
import v8 from 'node:v8';

/** Both semi-spaces, 4 MB each, as with `--max-semi-space-size=4`. */
const MAX_BYTES = 8 * 1024 * 1024;

function youngBytes(): number {
  const spaces = v8.getHeapSpaceStatistics();
  return spaces.find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}

/**
 * Stops the growth of the young generation at 8 MB. V8 has read its maximum before the first line runs, so this sets the factor
 * by which it grows after a collection: 1 once it is large enough, 2 while it is smaller. Does nothing where Node was started
 * with a maximum, as by `npm start`.
 */
export function boundYoungGeneration(): void {
  const given = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''];
  if (given.some((option) => option.includes('max-semi-space-size'))) return;
  let factor = 2;
  const observer = new PerformanceObserver(() => {
    const wanted = youngBytes() < MAX_BYTES ? 2 : 1;
    if (wanted === factor) return;
    factor = wanted;
    v8.setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  });
  observer.observe({ entryTypes: ['gc'] });
}
