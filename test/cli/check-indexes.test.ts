// What `check --data` says of indexes that differ, without a database: each kind of difference, in words.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkIndexes } from '../../src/cli/check-indexes.ts';
import { buildConfig } from '../../src/config/build-config.ts';
import { openFolderWorkspace } from '../../src/setup/workspace/open-workspace.ts';
import type { IndexDifference } from '../../src/stores/index-differences.ts';

type Obstacles = Partial<IndexDifference['obstacles']>;

async function said(kind: IndexDifference['kind'], obstacles: Obstacles = {}, explanation?: string) {
  const lines: string[] = [];
  const cwd = mkdtempSync(join(tmpdir(), 'cloister-check-indexes-'));
  const difference = {
    kind,
    ns: { database: null, collection: 'books' },
    definition: { name: 'title', keys: [{ path: 'title', direction: 1 }], unique: true },
    obstacles: { documents: 0, values: 0, parallelArrays: 0, ...obstacles },
    explanation,
  } as unknown as IndexDifference;
  const config = buildConfig(new Map([['workspace.path', '.']]));
  const io = { cwd, out: (line: string) => lines.push(line) };
  await checkIndexes(config, { compare: async () => [difference] } as never, {
    io: io as never,
    workspace: openFolderWorkspace(config, cwd) as never,
    repairs: true,
  });
  rmSync(cwd, { recursive: true });
  return lines.join();
}

it.each([
  ['missing', {}, undefined, 'unique index on title not built; the next start builds it'],
  ['missing', { documents: 2, values: 1 }, undefined, 'not built, 2 documents have the same title'],
  ['missing', { documents: 5, values: 2 }, undefined, 'not built, 5 documents share 2 values of title'],
  ['missing', { parallelArrays: 1 }, undefined, '1 document has lists in two of its fields'],
  ['missing', { parallelArrays: 2 }, undefined, '2 documents have lists in two of its fields'],
  ['conflict', {}, undefined, 'not built, another index has its name'],
  ['conflict', {}, 'it is a view', 'not built, it is a view'],
  ['undeclared', {}, undefined, 'no specification declares it any more'],
] as const)('an index that is %s with %j (%s)', async (kind, obstacles, explanation, text) => {
  const line = await said(kind, obstacles, explanation);
  expect(line).toMatch(/^books, index title: /);
  expect(line).toContain(text);
});
