import { defineConfig } from 'vitest/config';

/** Measure time, or use every core themselves: they run one by one when all the others are done. */
const ALONE = [
  'test/stores/sqlite-documents/event-loop.test.ts',
  'test/acceptance/kill.test.ts',
  'test/sandbox/hostile/*.test.ts',
];

export default defineConfig({
  test: {
    pool: 'forks',
    globalSetup: 'test/global-mongo-servers.ts',
    // One a core: the default leaves one idle, which is half of a small machine.
    maxWorkers: '100%',
    testTimeout: 20_000,
    hookTimeout: 30_000,
    projects: [
      { extends: true, test: { name: 'side by side', include: ['test/**/*.test.ts'], exclude: ALONE } },
      {
        extends: true,
        test: { name: 'alone', include: ALONE, fileParallelism: false, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
