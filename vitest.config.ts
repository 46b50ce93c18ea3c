import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Pure logic: no store, process or socket. */
const UNIT = [
  'test/lib/{json,regex}/*.test.ts',
  'test/lib/*.test.ts',
  'test/config/*.test.ts',
  'test/auth/{auth-errors,authorize}.test.ts',
  'test/auth/audit/audit-entry.test.ts',
  'test/auth/clients/client.test.ts',
  'test/collections/{model,filters,specifications,validation}/**/*.test.ts',
  'test/delivery/{responses,conditions,recipes,routes}/*.test.ts',
  'test/delivery/images/{geometry,orientation}.test.ts',
  'test/endpoints/*.test.ts',
  'test/modules/**/*.test.ts',
  'test/media/*.test.ts',
  'test/sandbox/guest/*.test.ts',
  'test/stores/matching/*.test.ts',
  'test/workers/images/*.test.ts',
];

/** Measure time, or use every core themselves: one file at a time, after all others. */
const ALONE = [
  'test/stores/sqlite-documents/event-loop.test.ts',
  'test/http/**/long-pages.test.ts',
  'test/acceptance/mongodb-failover.test.ts',
  'test/acceptance/mongodb-cities.test.ts',
  'test/security/hostile-bodies.test.ts',
  'test/sandbox/hostile/*.test.ts',
];

/** Need a server of their own (MongoDB, S3, Redis), or take long: `npm run test:full` only. */
const FULL = [
  'test/acceptance/mongodb-*.test.ts',
  'test/acceptance/{hostile-input,media-bucket,transfer}.test.ts',
  'test/auth/**/audit-{mongodb,verify}.test.ts',
  'test/cli/{media-copy,sandbox-audit,start}.test.ts',
  'test/setup/delivery.test.ts',
  'test/docs/*.test.ts',
  'test/helpers/*.test.ts',
  'test/{readme,servers,soak}.test.ts',
  'test/sandbox/search/*.test.ts',
  'test/sandbox-supervisor/isolation/{self-test,dies-with-server}.test.ts',
  'test/security/{no-descriptors,patterns,slow-readers}.test.ts',
  'test/stores/*differential.test.ts',
  'test/stores/{mongo-documents,s3-media}/**/*.test.ts',
  'test/stores/redis-cache.test.ts',
  'test/stores/sqlite-documents/**/full-disk.test.ts',
];

/** Wait for processes, crashes or timeouts for more than ten seconds: `npm run test:full` only. */
const SLOW = [
  'test/acceptance/{commands,endpoints-isolation,endpoints-operation,endpoints-suspension}.test.ts',
  'test/acceptance/{kill,media-broken-uploads,media-kill}.test.ts',
  'test/acceptance/model-{access,writes}.test.ts',
  'test/delivery/images/renderer.test.ts',
  'test/http/admin/admin-changes.test.ts',
  'test/http/core/rejected-bodies.test.ts',
  'test/http/media/file-download-conditions.test.ts',
  'test/sandbox-supervisor/supervisor-{crashes,memory,queues}.test.ts',
  'test/sandbox-supervisor/isolation/launcher.test.ts',
  'test/stores/disk-media/disk-media.test.ts',
];

/** Acceptance tests that MongoDB does not repeat: promises of the embedded database, or nothing that a store decides. */
const EMBEDDED_ONLY = [
  'test/acceptance/{embedded-database,kill,media-kill}.test.ts',
  'test/acceptance/endpoints-{answers,dialect,failures,isolation,operation,requests,routes,suspension}.test.ts',
  'test/acceptance/endpoints-{policies,uploads}.test.ts',
  'test/acceptance/{delivery-caching,delivery-origins,media-broken-uploads}.test.ts',
  'test/acceptance/{configuration,hook-results}.test.ts',
];

/** Acceptance tests for which one kind of MongoDB server is enough. */
const REPLICA_SET_ONLY = [
  'test/acceptance/{endpoints-*,hooks}.test.ts',
  'test/acceptance/{access,api-wrapper,clients,commands,field-names,http,media-files,media-uploads,media-wrapper}.test.ts',
  'test/acceptance/model-{access,arguments}.test.ts',
];

/** Repeats the acceptance tests on a MongoDB server, with unchanged expectations. */
const acceptanceOn = (name: string, kind: 'standalone' | 'replica set', without: readonly string[] = []) => ({
  extends: true as const,
  test: {
    name,
    include: ['test/acceptance/*.test.ts'],
    exclude: [...FULL, ...ALONE, ...EMBEDDED_ONLY, ...without],
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

const coverageByFolder = Object.fromEntries(
  globSync('src/**/')
    .map((path) => path.replace(/\/$/, ''))
    .map((path) => [`${path}/*.ts`, FOLDERS_OF_STARTS.has(path) ? COVERAGE_OF_STARTS : COVERAGE]),
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
      { extends: true, test: { name: 'unit', include: UNIT } },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: [...UNIT, ...FULL, ...SLOW, ...ALONE],
        },
      },
      { extends: true, test: { name: 'full', include: [...FULL, ...SLOW], exclude: ALONE } },
      acceptanceOn('standalone MongoDB', 'standalone', REPLICA_SET_ONLY),
      acceptanceOn('MongoDB replica set', 'replica set'),
      {
        extends: true,
        test: { name: 'alone', include: ALONE, fileParallelism: false, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
