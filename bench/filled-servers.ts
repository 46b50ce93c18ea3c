// Servers that hold the same books and people, and samples of what they hold.
import { join } from 'node:path';
import type { JsonObject } from '../src/lib/json/json.ts';
import { connectClient } from '../test/helpers/server-process/client.ts';
import { createWorkspace } from '../test/helpers/temp/workspace.ts';
import { book, PEOPLE_COUNT, person, SPECIFICATIONS } from './documents.ts';
import type { Baseline, EngineData } from './engines.ts';
import { pinServer } from './processes.ts';
import {
  type Client,
  type RunningCloister,
  type RunningServer,
  spawnCloister,
  startCloister,
  startProgram,
} from './servers.ts';

const BATCH = 2000;
const SAMPLE = 1000;
const SAMPLE_PAGES = 10;
const TOKEN = 'a-token-of-the-baseline';

export const BOOKS = '/1.0/bench/books';

/** What requests are made of. */
export interface Sample {
  /** Ids of some documents, spread over the collection, and their numbers. */
  readonly ids: readonly string[];
  readonly isbns: readonly string[];
  /** The id of some person. */
  readonly author: string;
}

export type FilledServer = RunningServer & Sample;

type Book = Readonly<Record<'_id' | 'isbn' | 'author', string>>;

const sampleOf = (books: readonly Book[]): Sample => ({
  ids: books.map(({ _id }) => _id),
  isbns: books.map(({ isbn }) => isbn),
  author: books[0]?.author ?? '',
});

/** Documents that every server gets through its API. */
const API_DOCUMENTS = 10_000;

async function fill(client: Client, documents: number, addBooks: EngineData['addBooks']): Promise<void> {
  const people = Array.from({ length: PEOPLE_COUNT }, (_, n) => person(n));
  const created = await client.request('POST', '/1.0/bench/people', people);
  const authors: string[] = created.body.results.map(({ _id }: { _id: string }) => _id);
  for (let from = 0; from < documents; from += BATCH) {
    const length = Math.min(BATCH, documents - from);
    const batch = Array.from({ length }, (_, at) =>
      book(from + at, authors[(from + at) % PEOPLE_COUNT] ?? ''),
    );
    if (addBooks !== undefined && from >= API_DOCUMENTS) {
      await addBooks(batch);
      continue;
    }
    const { status, body } = await client.request('POST', BOOKS, batch);
    if (status !== 200) throw new Error(`filling: ${status} ${JSON.stringify(body).slice(0, 500)}`);
  }
}

async function takeSample(client: Client, documents: number): Promise<Sample> {
  const pages: Book[][] = [];
  for (let page = 0; page < SAMPLE_PAGES; page += 1) {
    const skip = Math.floor((documents / SAMPLE_PAGES) * page);
    const { body } = await client.request('GET', `${BOOKS}?count=${SAMPLE / SAMPLE_PAGES}&skip=${skip}`);
    pages.push(body.results);
  }
  return sampleOf(pages.flat());
}

/** Cloister with so many books, filled through its API by a server before this one. */
export async function startFilledCloister(
  { database, pid, addBooks }: EngineData,
  documents: number,
  config: JsonObject = {},
): Promise<RunningCloister & FilledServer> {
  const server = await startCloister(SPECIFICATIONS, { database, ...config }, async (workspace) => {
    const filling = await spawnCloister(workspace);
    await fill(await connectClient(filling.url), documents, addBooks);
    await filling.stop();
  });
  pinServer(server.pid);
  const found = await takeSample(server.client, documents);
  return { ...server, ...found, ...(pid === undefined ? {} : { database: pid }) };
}

/** A server beside Cloister, which fills itself when it starts. */
export async function startBaseline(
  { script, mode }: Baseline,
  { baselineUri, pid }: EngineData,
  documents: number,
): Promise<FilledServer> {
  const workspace = createWorkspace();
  const headers = { authorization: `Bearer ${TOKEN}` };
  const file = join(import.meta.dirname, script);
  const modes = mode === undefined ? [] : [mode];
  const place = baselineUri ?? workspace.cwd;
  const server = await startProgram({
    command: (port) => [process.execPath, file, place, String(port), String(documents), TOKEN, ...modes],
    path: '/health',
    headers,
  });
  pinServer(server.pid);
  const answer = await fetch(`${server.url}/sample`, { headers });
  const { results } = (await answer.json()) as { results: Book[] };
  return {
    ...server,
    ...sampleOf(results),
    ...(pid === undefined ? {} : { database: pid }),
    async stop() {
      await server.stop();
      workspace.remove();
    },
  };
}
