// Requests leave nothing behind: what they allocate is freed by scavenges of the young generation. What survives two of them is
// promoted to the old generation, and stays in memory until a full collection.
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectClient } from './helpers/server-process/client.ts';
import { type ServerProcess, spawnServer } from './helpers/server-process/server-process.ts';
import { createWorkspace } from './helpers/temp/workspace.ts';

/** Requests of one window, and how many windows are measured until enough of them had no full collection in between. */
const REQUESTS = 800;
const MAX_WINDOWS = 12;
const ENOUGH_WINDOWS = 3;
const CONCURRENT = 2;
/** Requests that warm up code and caches. */
const WARM_UP = 3000;
/** A request that is kept takes two kilobytes. */
const MAX_PROMOTED_BYTES = 300;
/** Commits and frames of hosts outlive a young generation as small as this one. */
const MAX_PROMOTED_WHILE_WAITING = 1200;

const PATH = '/1.0/library/books';
const PROBE = pathToFileURL(`${import.meta.dirname}/helpers/heap-probe.js`).href;
const HELLO = "module.exports.get = (req, res) => res.end('hello');";

interface HeapState {
  readonly old: number;
  readonly full: number;
  readonly scavenges: number;
}

const workspace = createWorkspace(
  {
    '1.0/library/books': {
      fields: { title: { type: 'String' }, pages: { type: 'Number' } },
      settings: { index: [{ keys: { pages: 1 } }] },
    },
  },
  { cache: { enabled: false } },
);
let server: ServerProcess;
let token: string;

async function send(
  path: string,
  { method = 'GET', body, type = 'application/json' }: { method?: string; body?: string; type?: string } = {},
) {
  const headers = { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }) };
  const answer = await fetch(server.url + path, { method, headers, ...(body !== undefined && { body }) });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text;
}

/** Sends so many requests, some at a time. */
async function fire(count: number, request: () => Promise<unknown>) {
  const sendSome = async () => {
    for (let n = 0; n < count / CONCURRENT; n += 1) await request();
  };
  await Promise.all(Array.from({ length: CONCURRENT }, sendSome));
}

const printedStates = () =>
  [...server.output().matchAll(/^\{"probe":"heap".*\}$/gm)].map(([line]) => JSON.parse(line) as HeapState);

async function heapState(): Promise<HeapState> {
  const known = printedStates().length;
  server.process.kill('SIGUSR2');
  for (;;) {
    const state = printedStates()[known];
    if (state !== undefined) return state;
    await pause(10);
  }
}

/** Bytes by which the old generation grows with each request: the median of windows without a full collection. */
async function promotedBytes(request: () => Promise<unknown>): Promise<number> {
  await fire(WARM_UP, request);
  const measured: number[] = [];
  let scavenges = 0;
  for (let n = 0; n < MAX_WINDOWS && measured.length < ENOUGH_WINDOWS; n += 1) {
    const before = await heapState();
    await fire(REQUESTS, request);
    const after = await heapState();
    if (after.full !== before.full) continue;
    scavenges += after.scavenges - before.scavenges;
    measured.push((after.old - before.old) / REQUESTS);
  }
  expect(measured.length).toBeGreaterThanOrEqual(ENOUGH_WINDOWS);
  // Without scavenges nothing could have been promoted.
  expect(scavenges).toBeGreaterThanOrEqual(5);
  return measured.toSorted((a, b) => a - b)[measured.length >> 1] ?? Number.NaN;
}

beforeAll(async () => {
  const env = { NODE_OPTIONS: `--import ${PROBE} --max-semi-space-size=1`, CLOISTER_LOGGING_LEVEL: 'error' };
  server = await spawnServer({ cwd: workspace.cwd, env });
  ({ token } = await connectClient(server.url));
  const books = Array.from({ length: 200 }, (_, pages) => ({ title: `Book ${pages}`, pages }));
  await send(PATH, { method: 'POST', body: JSON.stringify(books) });
  await send('/1.0/hello/config', { method: 'POST', body: HELLO, type: 'text/plain' });
});

afterAll(async () => {
  await server?.stop();
  workspace.remove();
});

describe('scavenges under load promote next to nothing', () => {
  it('for reads by id', async () => {
    const { results } = JSON.parse(await send(PATH)) as { results: { _id: string }[] };
    let n = 0;
    const get = () => {
      n += 1;
      return send(`${PATH}/${results[n % results.length]?._id}`);
    };
    expect(await promotedBytes(get)).toBeLessThan(MAX_PROMOTED_BYTES);
  });

  it('for lists with a filter and an order', async () => {
    const filter = encodeURIComponent(JSON.stringify({ pages: { $gte: 100 } }));
    expect(await promotedBytes(() => send(`${PATH}?filter=${filter}&sort=pages`))).toBeLessThan(
      MAX_PROMOTED_BYTES,
    );
  });

  it('for creates', async () => {
    const body = JSON.stringify({ title: 'Another', pages: 7 });
    expect(await promotedBytes(() => send(PATH, { method: 'POST', body }))).toBeLessThan(
      MAX_PROMOTED_WHILE_WAITING,
    );
  });

  it('for calls of an endpoint', async () => {
    expect(await promotedBytes(() => send('/1.0/hello'))).toBeLessThan(MAX_PROMOTED_WHILE_WAITING);
  });
});
