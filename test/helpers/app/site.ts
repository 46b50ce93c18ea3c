// What tests put into an application over HTTP and commands: a collection, reviewers, a whole site to export and import.

import { clients } from '../../../src/cli/clients.ts';
import { exportSite, importSite } from '../../../src/cli/transfer.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { book, person } from '../fixtures/library.ts';
import { captureIo, createTestStreams } from '../server-process/console.ts';
import type { Workspace } from '../temp/workspace.ts';
import { type InjectAnswer, startApp, type TestApp } from './app.ts';

type Parameters = Readonly<Record<string, Json>>;

export interface TestCollection {
  readonly path: string;
  /** Creates the documents in one batch and resolves with them as they were answered. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it finds
  add(...documents: readonly JsonObject[]): Promise<any[]>;
  /** A read with query parameters; what is not text is sent as JSON. */
  get(parameters?: Parameters, below?: string): Promise<InjectAnswer>;
  /** The values of `name` in what `filter` finds, by `_id`. Throws when the answer is not 200. */
  find(filter: Json, parameters?: Parameters): Promise<readonly unknown[]>;
}

/** Query parameters as text, with the question mark. */
export function queryOf(parameters: Parameters): string {
  const pairs = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** Posts a specification as admin and gives access to its documents. `name` is also the field that `find` tells. */
export async function createTestCollection(
  app: TestApp,
  path: string,
  { fields, settings = {}, name = 'name' }: { fields: JsonObject; settings?: JsonObject; name?: string },
): Promise<TestCollection> {
  const posted = await app.inject('POST', `${path}/config`, { body: { fields, settings } });
  if (posted.status !== 200) throw new Error(`no collection: ${posted.text}`);
  const get: TestCollection['get'] = (parameters = {}, below = '') =>
    app.inject('GET', `${path}${below}${queryOf(parameters)}`);
  return {
    path,
    get,
    async add(...documents) {
      const { status, body, text } = await app.inject('POST', path, { body: documents });
      if (status !== 200) throw new Error(`not added: ${text}`);
      return body.results;
    },
    async find(filter, parameters = {}) {
      const { status, body, text } = await get({ sort: '_id', filter, ...parameters });
      if (status !== 200) throw new Error(`${status} ${text}`);
      return body.results.map((document: JsonObject) => document[name]);
    },
  };
}

/** Of every reviewer that is made here. */
export const REVIEWER_SECRET = 'a secret of a reviewer';

type Place = Pick<TestApp, 'workspace' | 'token'>;

/** Adds a reviewer, an admin too if asked, and resolves with its token. */
export async function addReviewer({ workspace, token }: Place, id: string, admin = false): Promise<string> {
  const flags = { id, secret: REVIEWER_SECRET, reviewer: true, admin };
  const io = captureIo(workspace.cwd);
  if ((await clients('clients add', flags, io)) !== 0) throw new Error(io.complained.join('\n'));
  return token(id, REVIEWER_SECRET);
}

/** Gives a client the right to approve, or takes it. */
export async function setReviewer({ workspace }: Place, id: string, reviewer: boolean): Promise<void> {
  const flags = reviewer ? { id, reviewer } : { id, 'no-reviewer': true };
  const io = captureIo(workspace.cwd);
  if ((await clients('clients set', flags, io)) !== 0) throw new Error(io.complained.join('\n'));
}

const LIBRARY = '/1.0/library';

async function send(app: TestApp, method: string, path: string, body?: unknown) {
  const answer = await app.inject(method, path, body === undefined ? {} : { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Fills the library of `workspace` over the API. */
export async function fillSite(workspace: Workspace): Promise<void> {
  const app = await startApp({ workspace });
  try {
    const people = Array.from({ length: 20 }, (_, n) => person(n));
    const { results: authors } = await send(app, 'POST', `${LIBRARY}/people`, people);
    const odd = { notes: { text: 'a\u0000b\u2028\r\n😀', list: [null, -1.5e-9, 2 ** 60, [], {}] } };
    const books = Array.from({ length: 60 }, (_, n) =>
      book(n, { author: authors[n % 20]._id, ...(n % 7 === 0 ? odd : {}) }),
    );
    const { results } = await send(app, 'POST', `${LIBRARY}/books`, books);
    for (const { _id } of results.slice(0, 10))
      await send(app, 'PUT', `${LIBRARY}/books/${_id}`, { pages: 7 });
    for (const { _id } of results.slice(5, 8)) await send(app, 'DELETE', `${LIBRARY}/books/${_id}`);
  } finally {
    await app.close();
  }
}

/** What a reader gets of it: every document, composed, and the revisions of each. */
export async function readSite(workspace: Workspace): Promise<unknown> {
  const app = await startApp({ workspace });
  try {
    const people = await send(app, 'GET', `${LIBRARY}/people?count=100`);
    const books = await send(app, 'GET', `${LIBRARY}/books?count=100&compose=true&includeHistory=true`);
    const histories: unknown[] = [];
    for (const { _id } of books.results) {
      histories.push(await send(app, 'GET', `${LIBRARY}/books/${_id}/history?count=100`));
    }
    return { people, books, histories };
  } finally {
    await app.close();
  }
}

async function command(run: typeof exportSite, workspace: Workspace, input: string) {
  const io = captureIo(workspace.cwd);
  const host = createTestStreams(input);
  const code = await run({ file: '-' }, io, host);
  const said = io.complained.join('\n');
  if (code !== 0) throw new Error(said);
  return { said, output: host.output() };
}

/** The lines of the export of this workspace, and what was said. */
export const exportWorkspace = (workspace: Workspace) => command(exportSite, workspace, '');

/** Imports lines into this workspace. Rejects with what was said when that fails. */
export const importWorkspace = (workspace: Workspace, lines: string) => command(importSite, workspace, lines);
