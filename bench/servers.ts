// The two contestants, each in a process of its own with the same documents.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '../test/helpers/client.ts';
import { freePort, spawnServer } from '../test/helpers/server-process.ts';
import { createWorkspace } from '../test/helpers/workspace.ts';
import { book, PEOPLE_COUNT, person, SPECIFICATIONS } from './documents.ts';
import type { Ground } from './engines.ts';
import type { Target } from './measure.ts';

const BATCH = 2000;
const SAMPLE = 1000;
const BOOKS = '/1.0/bench/books';

export interface Contestant extends Target {
  /** Ids of some documents, spread over the collection, and their numbers. */
  readonly ids: readonly string[];
  readonly isbns: readonly string[];
  /** The id of some person. */
  readonly author: string;
  readonly readyMs: number;
  stop(): Promise<void>;
}

interface Sample {
  readonly ids: readonly string[];
  readonly isbns: readonly string[];
  readonly author: string;
}

type Connection = Awaited<ReturnType<typeof connect>>;

async function fill(client: Connection, documents: number): Promise<void> {
  const people = Array.from({ length: PEOPLE_COUNT }, (_, n) => person(n));
  const created = await client.request('POST', '/1.0/bench/people', people);
  const authors: string[] = created.body.results.map(({ _id }: { _id: string }) => _id);
  for (let from = 0; from < documents; from += BATCH) {
    const length = Math.min(BATCH, documents - from);
    const batch = Array.from({ length }, (_, at) =>
      book(from + at, authors[(from + at) % PEOPLE_COUNT] ?? ''),
    );
    const { status, body } = await client.request('POST', BOOKS, batch);
    if (status !== 200) throw new Error(`filling: ${status} ${JSON.stringify(body).slice(0, 500)}`);
  }
}

function sampleOf(books: readonly { _id: string; isbn: string; author: string }[]): Sample {
  return {
    ids: books.map(({ _id }) => _id),
    isbns: books.map(({ isbn }) => isbn),
    author: books[0]?.author ?? '',
  };
}

async function sample(client: Connection, documents: number): Promise<Sample> {
  const parts: Parameters<typeof sampleOf>[0][] = [];
  for (let part = 0; part < 10; part += 1) {
    const skip = Math.floor((documents / 10) * part);
    const { body } = await client.request('GET', `${BOOKS}?count=${SAMPLE / 10}&skip=${skip}`);
    parts.push(body.results);
  }
  return sampleOf(parts.flat());
}

/** Cloister, authentication on. Filled through its API, then started anew: `readyMs` is that start. */
export async function startCloister({ database, pid }: Ground, documents: number): Promise<Contestant> {
  const workspace = createWorkspace(SPECIFICATIONS, {
    auth: { tokenTtl: 86_400 },
    cache: { enabled: false },
    database,
  });
  const env = { CLOISTER_LOGGING_LEVEL: 'error', CI: '' };
  const first = await spawnServer({ cwd: workspace.cwd, env });
  await fill(await connect(first.url), documents);
  await first.stop();
  const server = await spawnServer({ cwd: workspace.cwd, env });
  const client = await connect(server.url);
  return {
    url: server.url,
    pid: server.process.pid ?? 0,
    headers: { authorization: `Bearer ${client.token}` },
    readyMs: server.readyMs,
    ...(pid === undefined ? {} : { database: pid }),
    ...(await sample(client, documents)),
    async stop() {
      await server.stop();
      workspace.remove();
    },
  };
}

/** Fills itself when it starts. */
export async function startBaseline({ baseline, pid }: Ground, documents: number): Promise<Contestant> {
  const workspace = createWorkspace();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const script = join(import.meta.dirname, baseline.script);
  const place = baseline.place ?? workspace.cwd;
  const child = spawn(process.execPath, [script, place, String(port), String(documents)], {
    stdio: 'inherit',
  });
  const exit = once(child, 'exit');
  while (!(await fetch(`${url}/health`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`the baseline ended with ${child.exitCode}`);
    await pause(100);
  }
  const list = (await (await fetch(`${url}/sample`)).json()) as {
    results: { _id: string; isbn: string; author: string }[];
  };
  return {
    url,
    pid: child.pid ?? 0,
    headers: {},
    readyMs: 0,
    ...(pid === undefined ? {} : { database: pid }),
    ...sampleOf(list.results),
    async stop() {
      child.kill('SIGKILL');
      await exit;
      workspace.remove();
    },
  };
}
