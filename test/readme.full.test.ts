// Everything that the README tells a reader to type works, in its order, against a server started as it says, and prints what
// it says. Blocks fenced with ```sh only show.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeExampleWorkspace } from './helpers/fixtures/example-workspace.ts';
import { ROOT } from './helpers/fixtures/source-tree.ts';
import { guideStepsOf, openTerminal, outputPattern } from './helpers/server-process/guide.ts';
import { ADMIN, type ServerProcess, spawnServer } from './helpers/server-process/server-process.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const STEPS = guideStepsOf(README);
const CREDENTIALS = { CLOISTER_ADMIN_ID: ADMIN.clientId, CLOISTER_ADMIN_SECRET: ADMIN.secret };
const MAX_LINES = 200;

let folder: string;
let server: ServerProcess;
let terminal: ReturnType<typeof openTerminal>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cloister-readme-'));
  writeExampleWorkspace(folder);
  server = await spawnServer({ cwd: folder });
  terminal = openTerminal(ROOT, join(folder, 'state'), CREDENTIALS);
});

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('README', () => {
  it('installs and starts with two commands', () => {
    const shown = STEPS.filter(({ kind }) => kind !== 'commands').map(({ text }) => text);
    expect(shown).toEqual(['npm ci\nnpm start\n']);
  });

  const typed = STEPS.filter(({ kind }) => kind === 'commands').map((step, index) => ({ ...step, index }));
  it.each(typed)('shows commands that print what it says: block $index', async ({ text, printed }) => {
    const script = text
      .replaceAll('http://localhost:8081', server.url)
      .replaceAll('http://localhost:8082', server.deliveryUrl);
    expect((await terminal.type(script)).trim()).toMatch(outputPattern(printed ?? ''));
  });

  it('asks for every answer with a command that fails when the answer is an error', () => {
    const curls = typed.flatMap(({ text }) => text.match(/\bcurl\b[^\n]*/g) ?? []);
    expect(curls.length).toBeGreaterThan(8);
    expect(curls.filter((line) => !/ --fail(-with-body)? /.test(line))).toEqual([]);
  });

  it('says of other servers only what it links to their own documentation', () => {
    const [, section = ''] = README.split('\n## Beside others\n');
    const [head = '', , ...rows] = section.split('\n').filter((line) => line.startsWith('|'));
    const names = head.split('|').slice(3, -1);
    expect(names.map((name) => name.trim())).toEqual(['Directus', 'Strapi', 'Payload', 'PocketBase']);
    const sources = [
      /directus\.io|github\.com\/directus\//,
      /strapi\.io/,
      /payloadcms\.com/,
      /pocketbase\.io/,
    ];
    const wrong = rows.flatMap((row) =>
      row
        .split('|')
        .slice(3, -1)
        .filter(
          (cell, index) =>
            cell.trim() !== '' && !new RegExp(`\\]\\(https://[^)]*(?:${sources[index]?.source})`).test(cell),
        ),
    );
    expect(rows.length).toBeGreaterThan(5);
    expect(wrong).toEqual([]);
  });

  it('stays short', () => {
    expect(README.split('\n').length).toBeLessThanOrEqual(MAX_LINES);
  });
});
