import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// The kind of a test file is in its name: `npm test` runs those without a kind.
/** Needs a server of its own (MongoDB, S3, Redis), or waits for processes, crashes or timeouts for more than ten seconds. */
const FULL = 'test/**/*.full.test.ts';
/** Measures time, or uses every core itself: one file at a time, after all others. */
const ALONE = 'test/**/*.alone.test.ts';
/** An acceptance test that MongoDB does not repeat: promises of the embedded database, or nothing that a store decides. */
const ONCE = 'test/acceptance/*.once.*';
/** An acceptance test for which one kind of MongoDB server is enough. */
const REPLICA_SET_ONLY = 'test/acceptance/*.replica-set.*';

/** Repeats the acceptance tests on a MongoDB server, with unchanged expectations. */
const acceptanceOn = (name: string, kind: 'standalone' | 'replica set', without: readonly string[] = []) => ({
  extends: true as const,
  test: {
    name,
    include: ['test/acceptance/*.test.ts'],
    exclude: [ONCE, ALONE, ...without],
    setupFiles: 'test/setup-mongodb.ts',
    env: { TEST_MONGODB_KIND: kind },
  },
});

/** Least coverage of each folder, in percent. */
const COVERAGE = { statements: 95, branches: 90 };

/** Starts that fail for want of descriptors or threads are tested on servers of their own, which report nothing of them. */
const COVERAGE_OF_STARTS = { statements: 91, branches: 83 };
const FOLDERS_OF_STARTS: ReadonlySet<string> = new Set([
  'src/setup',
  'src/lib/processes',
  'src/stores/sqlite-documents/threads',
]);

const leastCoverageOf = (folder: string) => (FOLDERS_OF_STARTS.has(folder) ? COVERAGE_OF_STARTS : COVERAGE);

const coverageByFolder = Object.fromEntries(
  globSync('src/**/')
    .map((path) => path.replace(/\/$/, ''))
    .map((path) => [`${path}/*.ts`, leastCoverageOf(path)]),
);

export default defineConfig({
  test: {
    pool: 'forks',
    // Test files share processes: starting one for each file takes longer than the tests.
    isolate: false,
    globalSetup: 'test/global-mongo-servers.ts',
    // One more than there are cores: a third of the time, tests wait for servers, timers and disks.
    maxWorkers: availableParallelism() + 1,
    // What ends a test that hangs; no test is told by it whether something was fast enough. Several times what the longest takes.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // A polled condition may take as long as a busy machine needs; no limit of the product depends on it.
    expect: { poll: { timeout: 120_000 } },
    coverage: {
      provider: 'custom',
      customProviderModule: './test/coverage-provider.ts',
      // What runs in isolates and hosts alone (`sandbox/`) cannot be measured: their environment is empty, and the hostile tests are about it.
      include: ['src/**/*.ts'],
      reporter: ['text-summary'],
      reportsDirectory: '.cache/coverage',
      // Also when a test failed: one run tells everything.
      reportOnFailure: true,
      thresholds: coverageByFolder,
    },
    projects: [
      {
        extends: true,
        test: { name: 'quick', include: ['test/**/*.test.ts'], exclude: [FULL, ALONE] },
      },
      { extends: true, test: { name: 'full', include: [FULL] } },
      acceptanceOn('standalone MongoDB', 'standalone', [REPLICA_SET_ONLY]),
      acceptanceOn('MongoDB replica set', 'replica set'),
      {
        extends: true,
        test: { name: 'alone', include: [ALONE], fileParallelism: false, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
