// How often chance is tried, and from where it begins: the same cases in every run, so that what fails can be repeated.

/** More is for a night: a run of CLOISTER_TEST_DIFFERENTIAL_FACTOR=100 tries a hundred times as many cases. */
const FACTOR = Number(process.env['CLOISTER_TEST_DIFFERENTIAL_FACTOR'] ?? 1);
/** Other cases than those of every run. */
const SEED = Number(process.env['CLOISTER_TEST_DIFFERENTIAL_SEED'] ?? 20_261_122);

/** A smaller case that fails too may be minutes away, past the time of the test: it is looked for on request. */
const SHRINK = process.env['CLOISTER_TEST_DIFFERENTIAL_SHRINK'] === 'true';

interface RandomRuns {
  readonly seed: number;
  readonly numRuns: number;
  readonly endOnFailure: boolean;
}

/** A number of cases, never a time: a slow machine tries as much as a fast one. */
export function randomRuns(runs: number): RandomRuns {
  return { seed: SEED, numRuns: runs * FACTOR, endOnFailure: !SHRINK };
}

/** Milliseconds after which `runs` cases hang rather than last, also on a machine that others keep busy. */
export function timeoutFor(runs: number, each = 500): number {
  return (600_000 + runs * FACTOR * each) * (SHRINK ? 10 : 1);
}
