// What is counted, as plain numbers: counters and histograms that cost next to nothing where something happens, and are read when
// somebody asks. Nothing here knows the format in which they are sent.

export type Labels = Readonly<Record<string, string>>;

/** Upper bounds in seconds, from a read that is found in memory to what ends at a time limit. What takes longer has no bucket of its own. */
export const SECONDS_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;

/** Numbers that only grow, each under a key. */
export class Counters<Key> {
  readonly #cells = new Map<Key, { value: number }>();

  get size(): number {
    return this.#cells.size;
  }

  add(key: Key, amount = 1): void {
    const cell = this.#cells.get(key);
    if (cell === undefined) this.#cells.set(key, { value: amount });
    else cell.value += amount;
  }

  /** 0 for a key that is not there. */
  valueOf(key: Key): number {
    return this.#cells.get(key)?.value ?? 0;
  }

  /** One series for each key. */
  read(labelsOf: (key: Key) => Labels): readonly Series[] {
    return [...this.#cells].map(([key, { value }]) => ({ labels: labelsOf(key), value }));
  }
}

/** How many durations were at most so long, for each of `SECONDS_BUCKETS`. */
export class Histogram {
  readonly #counts: number[] = SECONDS_BUCKETS.map(() => 0);
  #count = 0;
  #sum = 0;

  /** How many there were. */
  get count(): number {
    return this.#count;
  }

  /** Seconds of all together. */
  get sum(): number {
    return this.#sum;
  }

  /** How many there were up to each of the bounds, shorter ones included. */
  get cumulative(): readonly number[] {
    let total = 0;
    return this.#counts.map((count) => {
      total += count;
      return total;
    });
  }

  observe(seconds: number): void {
    this.#count += 1;
    this.#sum += seconds;
    for (let at = 0; at < SECONDS_BUCKETS.length; at += 1) {
      if (seconds > (SECONDS_BUCKETS[at] as number)) continue;
      this.#counts[at] = (this.#counts[at] as number) + 1;
      return;
    }
  }
}

/** One combination of label values and what was counted under it. */
export interface Series {
  readonly labels: Labels;
  readonly value: number | Histogram;
}

/** What is told of a metric. The names of labels and what they may be are part of the documentation. */
export interface MetricDefinition {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

/** A metric and how to read it. */
export interface Metric extends MetricDefinition {
  /** The series of the moment. */
  read(): readonly Series[];
}
