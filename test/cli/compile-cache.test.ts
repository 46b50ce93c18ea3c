import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'cloister-cache-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }));

/** Loaded before the server: once it listens, prints the folder of the compile cache, and that of a worker thread. */
const FOLDERS = `
import { getCompileCacheDir } from 'node:module';
import { Worker } from 'node:worker_threads';
const write = process.stdout.write.bind(process.stdout);
const WORKER = "require('node:worker_threads').parentPort.postMessage(require('node:module').getCompileCacheDir() ?? 'none')";
process.stdout.write = (chunk, ...more) => {
  if (/^content API ready/.test(chunk)) {
    const worker = new Worker(WORKER, { eval: true, execArgv: [] });
    worker.once('message', (folder) => write('folders: ' + getCompileCacheDir() + ' ' + folder + '\\n'));
  }
  return write(chunk, ...more);
};
`;

it('the compile cache of the server serves its worker threads too', async () => {
  const preload = `data:text/javascript,${encodeURIComponent(FOLDERS)}`;
  const args = [
    '--import',
    preload,
    join(ROOT, 'src/cloister.js'),
    'start',
    '--only',
    'content',
    '--port',
    '0',
  ];
  const { PATH } = process.env;
  const env = { PATH, CLOISTER_SERVER_HOST: '127.0.0.1', CLOISTER_SANDBOX_ENABLED: 'false' };
  const child = spawn(process.execPath, args, { cwd, env });
  let printed = '';
  await new Promise((resolve) => {
    const read = (chunk: Buffer) => {
      printed += chunk.toString();
      if (/^folders: .*\n/m.test(printed)) child.kill('SIGKILL');
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('close', resolve);
  });
  const [, ofServer = '', ofWorker] = /^folders: (\S+) (\S+)$/m.exec(printed) ?? [];
  // Below the same folder: Node adds one for its version and V8's flags.
  const expected = /^(.*\/\.cache\/cloister)\/[^/]+$/.exec(ofServer)?.[1];
  expect(expected, printed).toBeDefined();
  expect(ofWorker).toMatch(new RegExp(`^${RegExp.escape(expected ?? '')}/[^/]+$`));
});
