// How often chance is tried, and from where it begins: the same cases in every run, so that what fails can be repeated.

/** More is for a night: a run of CLOISTER_TEST_DIFFERENTIAL_FACTOR=100 tries a hundred times as many cases. */
const FACTOR = Number(process.env['CLOISTER_TEST_DIFFERENTIAL_FACTOR'] ?? 1);
/** Other cases than those of every run. */
const SEED = Number(process.env['CLOISTER_TEST_DIFFERENTIAL_SEED'] ?? 20_261_122);

/** A number of cases, never a time: a slow machine tries as much as a fast one. */
export function repeatable(runs: number): { readonly seed: number; readonly numRuns: number } {
  return { seed: SEED, numRuns: runs * FACTOR };
}

/** Milliseconds after which `runs` cases hang rather than last. */
export function timeoutFor(runs: number, each = 500): number {
  return 60_000 + runs * FACTOR * each;
}
