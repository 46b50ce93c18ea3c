// Bounds V8's young generation, where short-lived objects are. By default it grows to 32 MB, which makes a server of half that
// heap twice as large, and no faster.
import { PerformanceObserver } from 'node:perf_hooks';
import v8 from 'node:v8';

const MEGABYTE = 1024 * 1024;
/** Of one semi-space, as with `--max-semi-space-size=4`. Smaller ones are collected so often that reads get slower. */
const SIZE = 4 * MEGABYTE;
/** The smallest that V8 makes. */
const MIN_SIZE = MEGABYTE;
const BYTES_PER_ELEMENT = 8;
/** Arrays at most: nothing depends on V8 to end the loop. */
const MAX_SURVIVORS = 8;

/** Bytes that fit into one semi-space before a collection. */
function capacity(): number {
  const young = v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  // A little less than the size, by the headers of pages.
  return young === undefined ? SIZE : Math.max(MIN_SIZE, young.space_used_size + young.space_available_size);
}

/** Sets by how much the young generation grows when much of it survives a collection. 1: it keeps its size. */
const setGrowth = (factor: number) => v8.setFlagsFromString(`--semi-space-growth-factor=${factor}`);

/**
 * Makes it grow to its size in one step. It grows when more than its capacity has survived: an array that is larger than that
 * survives without being copied, and the next one causes the collection.
 */
function grow(): void {
  const before = capacity();
  const factor = Math.floor(SIZE / before);
  if (factor < 2) return;
  setGrowth(factor);
  const survivors: unknown[] = [];
  while (capacity() === before && survivors.length < MAX_SURVIVORS) {
    survivors.push(new Array(Math.ceil((1.2 * before) / BYTES_PER_ELEMENT)).fill(0));
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
