// How long to wait before work is tried again that others got in the way of.

/** A number from 0 up to 1. */
export type Random = () => number;

interface Bounds {
  /** The longest pause before the first new attempt, in milliseconds. */
  readonly first: number;
  /** The longest pause before any, in milliseconds. */
  readonly most: number;
}

/**
 * Milliseconds to wait after `round` pauses: anything up to a bound that doubles with each. Those who lost the same race
 * get out of step like that ("full jitter", https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
 */
export function backOff(round: number, { first, most }: Bounds, random: Random = Math.random): number {
  return random() * Math.min(first * 2 ** round, most);
}
