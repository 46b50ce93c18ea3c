// What the main thread can see of a batch of patterns while a thread runs it: a pattern that backtracks for hours answers no message.

const POSITION = 0;
const CPU_MS = 1;
const FIRST_RESULT = 2;
/** Of a result; 0 where there is none yet. */
const NO = 1;
const YES = 2;

/** The memory that both threads share. */
export type ProgressCells = Int32Array<SharedArrayBuffer>;

/** Memory for a batch of so many jobs of which none has begun. */
export function progressCells(jobs: number): ProgressCells {
  const cells = new Int32Array(new SharedArrayBuffer((FIRST_RESULT + jobs) * Int32Array.BYTES_PER_ELEMENT));
  cells[POSITION] = -1;
  return cells;
}

/** Says which job begins, and how much processor time the thread had used until then. */
export function noteBegin(cells: ProgressCells, position: number, cpuMs: number): void {
  // The time first: who reads the job of before with it takes it for one that has hardly run.
  Atomics.store(cells, CPU_MS, Math.ceil(cpuMs));
  Atomics.store(cells, POSITION, position);
}

/** Says what came out of a job. */
export function noteResult(cells: ProgressCells, position: number, matches: boolean): void {
  Atomics.store(cells, FIRST_RESULT + position, matches ? YES : NO);
}

/** The job that began last, -1 before the first, and the processor time that the thread had used before it. */
export function runningJob(cells: ProgressCells): { readonly position: number; readonly cpuMs: number } {
  const position = Atomics.load(cells, POSITION);
  return { position, cpuMs: Atomics.load(cells, CPU_MS) };
}

/** What came out of the first jobs; the others have not ended. */
export function resultsOf(cells: ProgressCells): readonly boolean[] {
  const results: boolean[] = [];
  for (let cell = FIRST_RESULT; cell < cells.length; cell += 1) {
    const result = Atomics.load(cells, cell);
    if (result === 0) break;
    results.push(result === YES);
  }
  return results;
}

export interface WatchOptions {
  /** Milliseconds that one job may take; those in which the machine does not run its thread do not count. */
  readonly limitMs: number;
  /** Processor time of the thread. */
  readonly cpuMs: () => Promise<number>;
  /** Milliseconds, of any clock. */
  readonly now: () => number;
}

/**
 * Makes the function to call again and again while the batch runs. It resolves with the position of the job that runs once that has
 * had its time: as long by the clock, and at least half of that on a processor. Never rejects.
 */
export function createWatch(
  cells: ProgressCells,
  { limitMs, cpuMs, now }: WatchOptions,
): () => Promise<number | undefined> {
  let seen = { position: -1, at: now() };
  return async () => {
    const { position, cpuMs: before } = runningJob(cells);
    if (position !== seen.position) seen = { position, at: now() };
    if (position === -1 || now() - seen.at < limitMs) return undefined;
    // A thread that has ended has no time.
    const used = (await cpuMs().catch(() => 0)) - before;
    return used >= limitMs / 2 && runningJob(cells).position === position ? position : undefined;
  };
}
