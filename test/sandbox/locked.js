// Locks itself as a host does, then puts the engine to all the work that a locked host must still be able to do.
import { createHash, randomFillSync, randomUUID } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { lock } from '../../sandbox/lock.js';

const { ivm } = createRequire(import.meta.url)(process.argv[2]);

function run(code, { timeout = 1000, memoryLimit = 16 } = {}) {
  const isolate = new ivm.Isolate({ memoryLimit });
  let result;
  try {
    result = String(isolate.createContextSync().evalSync(code, { timeout }));
  } catch (error) {
    result = `failed: ${error.message}`;
  }
  return { result, isolate };
}

function codeOf(attempt) {
  try {
    attempt();
    return 'done';
  } catch (error) {
    return error.code ?? error.message;
  }
}

const layers = lock();
const many = Array.from({ length: 50 }, (_, index) => run(`${index} + 1`));
const report = {
  layers,
  sum: many.reduce((sum, { result }) => sum + Number(result), 0),
  loops: Array.from({ length: 10 }, () => run('for (;;);', { timeout: 20 }).result),
  hot: run('let sum = 0; for (let i = 0; i < 3e6; i++) sum = (sum + i * i) % 1000003; sum', {
    timeout: 10_000,
  }).result,
  objects: run('const all = []; for (;;) all.push([all])', { timeout: 5000 }).result,
  buffers: run('const all = []; for (;;) all.push(new ArrayBuffer(1e6))').result,
  recursion: run('(function again() { again() })()').result,
  dates: run('new Date(0).toString() + new Intl.DateTimeFormat().resolvedOptions().locale').result,
  texts: run('"ä".localeCompare("z", "de") + "x".normalize("NFD") + (12345.6).toLocaleString("de")').result,
  crypto: [
    randomUUID().length,
    createHash('sha256').update('a').digest('hex').length,
    randomFillSync(new Uint8Array(9)).length,
  ],
  cpu: process.cpuUsage().user + process.threadCpuUsage().user > 0,
  read: codeOf(() => readFileSync(import.meta.filename)),
  addon: codeOf(() => process.dlopen({ exports: {} }, process.argv[2])),
  ffi: codeOf(() => createRequire(import.meta.url)('node:ffi').dlopen(null, {})),
};
for (const { isolate } of many) isolate.dispose();
writeSync(1, JSON.stringify(report));
process.kill(process.pid, 'SIGKILL');
