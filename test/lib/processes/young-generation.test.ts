import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../../helpers/fixtures/source-tree.ts';

const MEGABYTE = 1024 * 1024;

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'cloister-young-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }));

/** Loaded before the server: once it listens, objects survive in great numbers, and the median of the young generation's sizes is printed. */
const SURVIVORS = `
import v8 from 'node:v8';
import { setImmediate as turn } from 'node:timers/promises';
const size = () => v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size;
async function fill() {
  const sizes = [];
  let live = [];
  for (let round = 0; round < 1000; round += 1) {
    for (let n = 0; n < 1000; n += 1) live.push([n]);
    if (live.length > 200_000) live = live.slice(150_000);
    sizes.push(size());
    if (round % 5 === 0) await turn();
  }
  sizes.sort((a, b) => a - b);
  process.stdout.write('young generation: ' + sizes[sizes.length >> 1] + '\\n');
}
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (chunk, ...more) => {
  if (/^content API ready/.test(chunk)) void fill();
  return write(chunk, ...more);
};
`;

/** Starts the server and resolves with the bytes of its young generation. */
function youngGeneration(command: readonly string[]): Promise<number> {
  const preload = `data:text/javascript,${encodeURIComponent(SURVIVORS)}`;
  const args = ['--import', preload, ...command, '--only', 'content', '--port', '0'];
  const { PATH } = process.env;
  const env = { PATH, CLOISTER_SERVER_HOST: '127.0.0.1', CLOISTER_SANDBOX_ENABLED: 'false' };
  const child = spawn(process.execPath, args, { cwd, env });
  let printed = '';
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      if (/^young generation: \d+$/m.test(printed)) child.kill('SIGKILL');
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('close', () => {
      const bytes = /^young generation: (\d+)$/m.exec(printed)?.[1];
      if (bytes === undefined) reject(new Error(printed));
      else resolve(Number(bytes));
    });
  });
}

describe('the young generation of the server', () => {
  it('grows beyond 16 MB when much survives and nothing bounds it', async () => {
    // V8's own growth stops at 16 or at 32 MB, by chance: with a larger factor it is what survives that decides.
    const flags = ['--max-semi-space-size=16', '--semi-space-growth-factor=4'];
    const unbounded = [...flags, join(ROOT, 'src/cloister.js'), 'start'];
    expect((await youngGeneration(unbounded)) / MEGABYTE).toBeGreaterThan(16);
  });

  it('is 16 MB at most where it is started by its bin', async () => {
    const bytes = await youngGeneration([join(ROOT, 'src/cloister.js'), 'start']);
    expect(bytes / MEGABYTE).toBeLessThanOrEqual(16);
  });

  it('is 8 MB at most where it is started by npm', async () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const [node, ...args] = scripts.start.split(' ');
    expect(node).toBe('node');
    const bytes = await youngGeneration(args.map((arg: string) => arg.replace(/^src/, `${ROOT}/src`)));
    expect(bytes / MEGABYTE).toBeLessThanOrEqual(8);
  });
});
