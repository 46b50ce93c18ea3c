// What this process knows of the windows in which limits are counted: what it has taken itself, what all have taken as it last
// heard, and until when.
import type { CountedLimit, CountedWindow, SharedCounts } from '../../stores/ports.ts';

/** Keys of which something is known. Above that, the one that was used least recently is forgotten. */
const MAX_KNOWN_WINDOWS = 100_000;

export interface KnownWindow {
  /** That of the shared cache; empty where this process heard of none. */
  name: string;
  /** By the steady clock. */
  endsAt: number;
  /** What this process has taken, and the part of it of which the cache has not heard. */
  own: number;
  unheard: number;
  /** What all have taken for good, as far as this process knows. */
  settled: number;
}

/** A limit that is counted under a key. */
export interface KeyedLimit {
  readonly key: string;
  readonly limit: number;
}

export type TakeOptions = Parameters<SharedCounts['take']>[1];

export class KnownWindows {
  readonly #clock: () => number;
  /** In the order of their last use. */
  readonly #windows = new Map<string, KnownWindow>();

  /** `clock`: milliseconds of a steady clock. */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** The window of a key. One that has ended is empty. */
  of(key: string): KnownWindow {
    const known = this.#windows.get(key);
    const isRunning = known !== undefined && this.#clock() < known.endsAt;
    const window = isRunning ? known : { name: '', endsAt: 0, own: 0, unheard: 0, settled: 0 };
    this.#windows.delete(key);
    this.#windows.set(key, window);
    if (this.#windows.size > MAX_KNOWN_WINDOWS) {
      const [oldest = ''] = this.#windows.keys();
      this.#windows.delete(oldest);
    }
    return window;
  }

  /** Milliseconds until the window ends; 0 where it has not begun. */
  remaining(window: KnownWindow): number {
    return Math.max(0, window.endsAt - this.#clock());
  }

  /** Takes one, without the shared cache. */
  takeUnheard(window: KnownWindow, windowMs: number): void {
    if (this.remaining(window) === 0) window.endsAt = this.#clock() + windowMs;
    window.own += 1;
    window.unheard += 1;
  }

  /** Asks the shared cache, and remembers what it tells. Undefined where it does not answer. */
  async ask(
    counts: SharedCounts,
    limits: readonly KeyedLimit[],
    options: TakeOptions,
  ): Promise<{ readonly granted: number; readonly windows: readonly CountedWindow[] } | undefined> {
    const known = limits.map(({ key }) => this.of(key));
    const asked = limits.map(({ key, limit }, index): CountedLimit => {
      const { name = '', own = 0, unheard = 0 } = known[index] ?? {};
      return { key, limit, window: name, own, unheard };
    });
    // Before the cache counts: it must not forget a window that this process takes for one that goes on.
    const askedAt = this.#clock();
    const answer = await counts.take(asked, options);
    if (answer === undefined) return undefined;
    for (const [index, heard] of answer.windows.entries()) {
      // That of the key now: it may have ended meanwhile.
      const window = this.of(limits[index]?.key ?? '');
      window.name = heard.window;
      window.endsAt = askedAt + heard.endsInMs;
      window.settled = heard.used - heard.held;
      window.unheard = Math.max(0, window.unheard - (asked[index]?.unheard ?? 0));
      window.own += answer.granted;
    }
    return answer;
  }
}
