// A site with documents, references, revisions and removals, and all that its readers can see: what a move must keep.
import { exportSite } from '../../src/cli/export.ts';
import { importSite } from '../../src/cli/import.ts';
import { startApp, type TestApp } from './app.ts';
import { captureIo } from './console.ts';
import { book, person } from './fixtures.ts';
import { createTestHost } from './transfer-host.ts';
import type { Workspace } from './workspace.ts';

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
export async function viewSite(workspace: Workspace): Promise<unknown> {
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
  const host = createTestHost(input);
  const code = await run({ file: '-' }, io, host);
  const said = io.complained.join('\n');
  if (code !== 0) throw new Error(said);
  return { said, output: host.output() };
}

/** The lines of the export of this workspace, and what was said. */
export const exportFrom = (workspace: Workspace) => command(exportSite, workspace, '');

/** Imports lines into this workspace. Rejects with what was said when that fails. */
export const importInto = (workspace: Workspace, lines: string) => command(importSite, workspace, lines);
