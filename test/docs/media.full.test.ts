// Everything that docs/media.md tells a reader to type works, in its order, behind the first steps of the README.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKeyCandidates, type PathFormat, sanitizeFileName } from '../../src/media/file-name.ts';
import { sha1Hex } from '../../src/workers/media-tasks.ts';
import { writeExampleWorkspace } from '../helpers/fixtures/example-workspace.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';
import {
  bash,
  bashBlocksOf,
  type ServerProcess,
  spawnServer,
} from '../helpers/server-process/server-process.ts';

const PAGE = readFileSync(join(ROOT, 'docs/media.md'), 'utf8');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const FIRST_STEPS = bashBlocksOf(README)[0] ?? '';

let folder: string;
let server: ServerProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cloister-media-page-'));
  writeExampleWorkspace(folder);
  server = await spawnServer({ cwd: folder });
});

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('the commands of docs/media.md work in their order', async () => {
  const script = [FIRST_STEPS, ...bashBlocksOf(PAGE)].join('\n').replace('http://localhost:8081', server.url);
  const { code, printed } = await bash(`set -x\n${script}`);
  expect(code, printed.slice(-4000)).toBe(0);
  expect(printed).toContain('"caption":"At dusk","year":2026,"tags":["sea","tower"]');
  expect(printed).toContain('"title":"Coast","cover":{"fileName":"lighthouse.jpg"');
  expect(printed).toContain('"caption":"At sea"');
});

/** The two cells of every row that stands between a heading and the next one, as code. */
function rowsBelow(heading: string): readonly (readonly [string, string])[] {
  const section = PAGE.split(`\n### ${heading}\n`)[1]?.split(/\n##/)[0] ?? '';
  return [...section.matchAll(/^\| `([^`]+)`[^|]* \| `([^`]+)` \|$/gm)].map(([, a = '', b = '']) => [a, b]);
}

test('docs/media.md shows where each path format puts a file', async () => {
  const rows = rowsBelow('Where a file lies');
  expect(rows).toHaveLength(6);
  const collection = { version: '1.0', database: 'library', name: 'photos' };
  const file = { collection, name: 'lighthouse.jpg', at: Date.UTC(2026, 10, 22, 9, 5, 7) };
  for (const [format, path] of rows) {
    const options = { format: format as PathFormat, sha1Of: async (text: string) => sha1Hex(text) };
    const candidate = await createKeyCandidates(file, options);
    expect(candidate(0)).toBe(`1.0/library/photos/${path}`);
  }
});

test('docs/media.md shows the names under which files are stored', () => {
  const rows = rowsBelow('Names');
  expect(rows).toHaveLength(5);
  for (const [sent, stored] of rows) expect(sanitizeFileName(sent)).toBe(stored);
});
