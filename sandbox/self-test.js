// Runs in a real host in place of its loop, and tries to get out: what a reviewer would try who had taken over the process.
// Says on the pipe what happened; the server judges which of it a layer had promised to stop.
import { readSync, writeSync } from 'node:fs';
import { createGuest, versions } from './isolate.js';
import { lock } from './lock.js';
import { nativeAttempts } from './self-test/native.js';
import { nodeAttempts } from './self-test/node.js';

const PIPE = 3;
const MB = 2 ** 20;
/** Longer than the server waits for any part of the test. */
const LOOP_MS = 60_000;
/** A search through so many characters is a moment of the engine in which nothing can stop it. */
const LOOP_LENGTH = 5_000_000;
/** Enough for a slow machine to fill the heap of a guest. */
const MEMORY_MS = 5_000;
const GUEST = {
  ...{
    kind: /** @type {const} */ ('endpoint'),
    isolation: /** @type {const} */ ('realm'),
    name: 'self-test',
  },
  ...{
    loadMs: 1000,
    cpuMs: 1000,
    wallMs: 1000,
    heapMb: 16,
    responseBytes: 1024,
    logBytes: 1024,
    logLines: 1,
  },
  ...{ hostCalls: 1, timers: 1, timerMs: 1, model: false, fetch: false, bcrypt: false },
};
const REQUEST = JSON.stringify({
  ...{ method: 'GET', url: '/', path: '/', params: {}, query: {}, headers: {} },
  ...{ bodyType: 'none', client: null, ip: '127.0.0.1' },
});

/** @param {unknown} message */
function say(message) {
  writeSync(PIPE, `${JSON.stringify(message)}\n`);
}

/**
 * @typedef {object} Orders What to try, made by the server.
 * @property {'attempts' | 'memory' | 'loop'} test
 * @property {string} file One that nobody may read.
 * @property {string} newFile One that nobody may write.
 * @property {number} port Of a server on this machine.
 * @property {string} socket Path of another one.
 * @property {number} server Process of the server.
 * @property {number} memoryMb
 */

/** @returns {Orders} */
function readOrders() {
  const bytes = Buffer.alloc(4096);
  return JSON.parse(bytes.toString('utf8', 0, readSync(PIPE, bytes)));
}

/**
 * What a guest does that misbehaves, and how its time slice ended.
 * @param {string} statement
 * @param {number} ms Its time limit.
 */
function guestError(statement, ms) {
  const guest = createGuest(
    { ...GUEST, source: `module.exports.get = (req, res) => { ${statement}; res.end() }` },
    () => undefined,
  );
  const end = guest.start(1, REQUEST, '', ms);
  guest.dispose();
  return end.error ?? 'none';
}

/** @param {Orders} orders */
function fillMemory({ memoryMb }) {
  const loaded = [];
  try {
    while (loaded.length * 16 <= memoryMb) loaded.push(Buffer.allocUnsafeSlow(16 * MB));
    return `took ${loaded.length * 16} MB`;
  } catch {
    return '';
  }
}

const orders = readOrders();
const native = nativeAttempts(orders);
const layers = lock();
say({ layers, versions: versions() });
if (orders.test === 'attempts') {
  for (const [attempt, run] of [...nodeAttempts(orders), ...native]) say({ attempt, got: await run() });
  say({ attempt: 'guest-loop', got: guestError('for (;;);', 200) === 'timeout' ? '' : 'it ran on' });
  say({
    attempt: 'guest-memory',
    got: guestError('const a = []; for (;;) a.push([a])', MEMORY_MS) === 'memory' ? '' : 'it got it',
  });
}
if (orders.test === 'memory') say({ attempt: 'memory', got: fillMemory(orders) });
say({ done: true });
// Deep in the engine, where no time limit reaches. The server ends it. One that died while this process was made is not
// noticed by it: then it ends here.
const text = 'x'.repeat(LOOP_LENGTH);
for (const end = Date.now() + LOOP_MS; Date.now() < end; ) Array.prototype.indexOf.call(text, 'y');
