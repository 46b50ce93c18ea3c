// Bounds V8's young generation, where short-lived objects are. By default it grows to 32 MB, which makes a server of half that
// heap twice as large, and no faster.
import { PerformanceObserver } from 'node:perf_hooks';
import v8 from 'node:v8';

const MEGABYTE = 1024 * 1024;
/** Both semi-spaces, 4 MB each, as with `--max-semi-space-size=4`. Smaller ones are collected so often that reads get slower. */
const SIZE = 8 * MEGABYTE;
/** Objects of 8 kB between two looks at the size, and at most: nothing depends on V8 to end the loop. */
const SURVIVORS = 32;
const MAX_SURVIVORS = 2048;
const SURVIVOR_LENGTH = 1000;

function youngBytes(): number {
  const spaces = v8.getHeapSpaceStatistics();
  return spaces.find(({ space_name: name }) => name === 'new_space')?.space_size ?? SIZE;
}

/** Sets by how much the young generation grows when much of it survives a collection. 1: it keeps its size. */
const setGrowth = (factor: number) => v8.setFlagsFromString(`--semi-space-growth-factor=${factor}`);

/** Makes it grow to its size in one step, by objects that survive. */
function grow(): void {
  const factor = Math.floor(SIZE / Math.max(youngBytes(), 2 * MEGABYTE));
  if (factor < 2) return;
  setGrowth(factor);
  const survivors: unknown[] = [];
  while (youngBytes() < SIZE && survivors.length < MAX_SURVIVORS) {
    for (let n = 0; n < SURVIVORS; n += 1) survivors.push(new Array(SURVIVOR_LENGTH).fill(0));
  }
  setGrowth(1);
}

/**
 * Keeps the young generation at 8 MB, or 16 while most of it survives. V8 reads its maximum before any code runs, but the
 * factor by which it grows at each collection. Does nothing where Node was started with a maximum, as by `npm start`.
 */
export function boundYoungGeneration(nodeOptions: string): void {
  const given = [...process.execArgv, nodeOptions];
  if (given.some((option) => option.includes('max-semi-space-size'))) return;
  setGrowth(1);
  grow();
  // V8 shrinks it while the server is idle.
  new PerformanceObserver(grow).observe({ entryTypes: ['gc'] });
}
