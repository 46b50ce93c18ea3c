// Everything that the README tells a reader to type works, in its order, against a server started as it says.
// Blocks fenced with ```bash are run as one script; those fenced with ```sh only show.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './helpers/fixtures/source-tree.ts';
import {
  bash,
  bashBlocksOf,
  type ServerProcess,
  spawnServer,
} from './helpers/server-process/server-process.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const BLOCKS = bashBlocksOf(README);
const DEFAULT_URL = 'http://localhost:8081';
const DEFAULT_DELIVERY_URL = 'http://localhost:8082';

let folder: string;
let server: ServerProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cloister-readme-'));
  cpSync(join(ROOT, 'workspace'), join(folder, 'workspace'), { recursive: true });
  server = await spawnServer({ cwd: folder });
});

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('README', () => {
  it('shows commands that work', async () => {
    const traced = BLOCKS.join('\n')
      .replaceAll(DEFAULT_URL, server.url)
      .replaceAll(DEFAULT_DELIVERY_URL, server.deliveryUrl);
    const { code, printed } = await bash(`set -x\n${traced}`);
    expect(code, printed.slice(-4000)).toBe(0);
    expect(printed).toContain('"name":"Ursula K. Le Guin"');
    expect(printed).toContain('"name":"Springfield"');
    expect(printed).toContain('"name":"Reykjavík"');
  });

  it('asks for every answer with a command that fails when the answer is an error', () => {
    const curls = BLOCKS.join('\n').match(/\bcurl\b[^\n]*/g) ?? [];
    expect(curls.length).toBeGreaterThan(8);
    expect(curls.filter((line) => !/ --fail(-with-body)? /.test(line))).toEqual([]);
  });

  it('links to files that exist', () => {
    const links = [...README.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, path]) => path ?? '');
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('stays short', () => {
    expect(README.split('\n').length).toBeLessThanOrEqual(200);
  });
});
