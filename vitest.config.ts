import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Measure time, or use every core themselves: they run one by one when all the others are done. */
const ALONE = [
  'test/stores/sqlite-documents/event-loop.test.ts',
  'test/http/documents/long-pages.test.ts',
  'test/acceptance/{kill,media-kill}.test.ts',
  'test/acceptance/mongodb-failover.test.ts',
  'test/acceptance/mongodb-cities.test.ts',
  'test/security/hostile-bodies.test.ts',
  'test/sandbox/hostile/*.test.ts',
];

/**
 * Pure logic: no store, process, socket, clock or module state that one file could leave to the next. They share the
 * processes that they run in, because starting one for each takes longer than the tests.
 */
const PURE = [
  'test/lib/{json,regex}/*.test.ts',
  'test/lib/*.test.ts',
  'test/config/*.test.ts',
  'test/auth/access.test.ts',
  'test/auth/audit/audit-chain.test.ts',
  'test/auth/clients/{client-input,client-record}*.test.ts',
  'test/collections/{model,filters,specifications,validation}/**/*.test.ts',
  'test/delivery/{responses,conditions,recipes,routes}/*.test.ts',
  'test/delivery/images/{accept,geometry,orientation,rotation,frames,memory-budget,png-extras,jpeg-metadata}*.test.ts',
  'test/endpoints/*.test.ts',
  'test/modules/**/*.test.ts',
  'test/media/*.test.ts',
  'test/stores/matching/*.test.ts',
  'test/stores/mongo-documents/{bson,filters,patterns,query}/*.test.ts',
  'test/workers/images/*.test.ts',
];

/** They have servers of their own, or compare the databases. */
const ABOUT_MONGODB = 'test/acceptance/mongodb-*.test.ts';

/** What the acceptance tests say must hold on every database. Not repeated: */
const EMBEDDED_ONLY = [
  // What is promised of the embedded database alone.
  'test/acceptance/embedded-database.test.ts',
  // Kill the server again and again, in the knowledge that a restart takes milliseconds.
  'test/acceptance/{kill,media-kill}.test.ts',
];

/** Processes of custom code, files and images, chance for a fixed time, moves between databases that have tests of their own. */
const ABOUT_NO_STORE = [
  'test/acceptance/endpoints-{answers,dialect,failures,isolation,operation,requests,routes,suspension}.test.ts',
  'test/acceptance/endpoints-{policies,uploads}.test.ts',
  'test/acceptance/{delivery-caching,media-broken-uploads,media-bucket}.test.ts',
  'test/acceptance/{configuration,hook-results,hostile-input,transfer}.test.ts',
];

/** What both kinds of server cannot tell apart: once is enough, and takes half the time. */
const ABOVE_THE_STORE = [
  'test/acceptance/{endpoints-*,hooks}.test.ts',
  'test/acceptance/{access,api-wrapper,clients,commands,field-names,http,media-files,media-uploads,media-wrapper}.test.ts',
];

/** The acceptance tests once more, without a changed expectation. */
const acceptanceOn = (name: string, kind: 'standalone' | 'replica set', without: readonly string[] = []) => ({
  extends: true as const,
  test: {
    name,
    include: ['test/acceptance/*.test.ts'],
    exclude: [ABOUT_MONGODB, ...EMBEDDED_ONLY, ...ABOUT_NO_STORE, ...without],
    setupFiles: 'test/setup-mongodb.ts',
    env: { TEST_MONGODB_KIND: kind },
    testTimeout: 30_000,
  },
});

export default defineConfig({
  test: {
    pool: 'forks',
    globalSetup: 'test/global-mongo-servers.ts',
    // One more than there are cores: a third of the time, tests wait for servers, timers and disks.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // A state that is waited for comes when the machine gets to it: its default of a second is none of our promises.
    expect: { poll: { timeout: 15_000 } },
    projects: [
      { extends: true, test: { name: 'pure logic', include: PURE, isolate: false } },
      {
        extends: true,
        test: { name: 'side by side', include: ['test/**/*.test.ts'], exclude: [...ALONE, ...PURE] },
      },
      acceptanceOn('on a lone MongoDB', 'standalone', ABOVE_THE_STORE),
      acceptanceOn('on a MongoDB replica set', 'replica set'),
      {
        extends: true,
        test: { name: 'alone', include: ALONE, fileParallelism: false, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
