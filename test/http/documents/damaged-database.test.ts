// A data file that a failing disk has damaged: 503 for what lies there, answers for the rest, and the process goes on.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { book, LIBRARY, person } from '../../helpers/fixtures/library.ts';
import { type Damage, damageBytes, damagePages } from '../../helpers/temp/folders.ts';
import { createWorkspace, type Workspace } from '../../helpers/temp/workspace.ts';

const BOOKS = '/1.0/library/books';
const COUNT = 1500;
/** The first page names the tables: without it the file is no database, and no server starts. */
const BEHIND_HEADER = 4096;
const query = (text: object) => encodeURIComponent(JSON.stringify(text));

let healthy: Workspace;
let ids: string[];
/** Signed with the secret that the data folder holds. */
let token: string;

beforeAll(async () => {
  healthy = createWorkspace(LIBRARY);
  const app = await startApp({ workspace: healthy });
  const people = Array.from({ length: 100 }, (_, n) => person(n));
  const { body } = await app.inject('POST', '/1.0/library/people', { body: people });
  const authors = body.results.map(({ _id }: { _id: string }) => _id);
  const books = Array.from({ length: COUNT }, (_, n) =>
    book(n, { author: authors[n % 100], notes: 'x'.repeat(300) }),
  );
  const added = await app.inject('POST', BOOKS, { body: books });
  ids = added.body.results.map(({ _id }: { _id: string }) => _id);
  await app.inject('PUT', BOOKS, { body: { query: { pages: { $lt: 150 } }, update: { inPrint: true } } });
  await app.inject('POST', '/api/clients', { body: { clientId: 'other', secret: 'of another client' } });
  token = await app.adminToken();
  await app.close();
  return () => healthy.remove();
});

/** Reads, counts and writes of every kind, spread over the file. */
function requests(): readonly (readonly [method: string, path: string, body?: object])[] {
  const some = ids.filter((_, n) => n % 150 === 0);
  return [
    ['GET', '/health'],
    ['POST', '/token', { clientId: 'other', secret: 'of another client' }],
    ['GET', `${BOOKS}?filter=${query({ title: { $gte: '' } })}&compose=all&count=1000`],
    ['GET', `${BOOKS}?sort=${query({ notes: 1, title: -1 })}&skip=700&count=20`],
    ['GET', `${BOOKS}?filter=${query({ 'author.name': 'person 7' })}&fields=${query({ title: 1 })}`],
    ['GET', `${BOOKS}?count=1000&page=2&includeHistory=true`],
    ['GET', `${BOOKS}/count?filter=${query({ title: { $gte: '' } })}`],
    ['GET', `${BOOKS}/count?filter=${query({ notes: { $regex: 'y' } })}`],
    ['GET', `${BOOKS}/stats`],
    ['GET', '/1.0/library/people?count=1000'],
    ['GET', '/api/clients'],
    ['GET', '/api/audit'],
    ['GET', '/api/status'],
    ...some.map((id) => ['GET', `${BOOKS}/${id}`] as const),
    ...some.map((id) => ['GET', `${BOOKS}/${id}/history`] as const),
    ...some.map((id, n) => ['PUT', `${BOOKS}/${id}`, { pages: n }] as const),
    ['POST', BOOKS, book(9000)],
    ['POST', BOOKS, Array.from({ length: 200 }, (_, n) => book(9000 + n)) as object],
    ['POST', '/api/clients', { clientId: 'third', secret: 'of a third client' }],
    ['PUT', BOOKS, { query: { pages: { $gte: 150 } }, update: { inPrint: false } }],
    ['DELETE', `${BOOKS}/${some[3]}`],
    ['DELETE', BOOKS, { query: { pages: { $gt: 350 } } }],
    ['GET', '/hello'],
  ];
}

async function statuses(app: TestApp): Promise<Map<number, string[]>> {
  const seen = new Map<number, string[]>();
  const note = (status: number, what: string) => seen.set(status, [...(seen.get(status) ?? []), what]);
  const token = await app.adminToken().catch(() => null);
  for (const [method, path, body] of requests()) {
    const answer = await app.inject(method, path, { token, ...(body === undefined ? {} : { body }) });
    note(answer.status, `${method} ${decodeURIComponent(path)}: ${answer.text.slice(0, 200)}`);
    if (answer.status !== 503) continue;
    expect(answer.headers['retry-after'], path).toMatch(/^[1-9]\d*$/);
    expect(answer.body.errors, path).toEqual([expect.objectContaining({ code: 'API-0004' })]);
  }
  return seen;
}

async function damaged(damage: (file: string) => void, when: 'before' | 'after') {
  const workspace = createWorkspace(LIBRARY);
  cpSync(join(healthy.cwd, 'data'), join(workspace.cwd, 'data'), { recursive: true });
  const file = join(workspace.cwd, 'data/cloister.db');
  const log: string[] = [];
  if (when === 'before') damage(file);
  const app = await startApp({ workspace, log });
  if (when === 'after') damage(file);
  const seen = await statuses(app);
  await app.close();
  workspace.remove();
  return { seen, log };
}

const failures = (seen: ReadonlyMap<number, readonly string[]>) =>
  [...seen].flatMap(([status, requests]) => (status >= 500 && status !== 503 ? requests : []));

const lines = (log: readonly string[], word: string) => log.filter((line) => line.includes(word));

describe('a damaged data file', () => {
  const moments = ['before', 'after'] as const;

  it.each(moments)('with forty pages of chance, %s the start', async (moment) => {
    const damage: Damage = { seed: 5, count: 40, from: BEHIND_HEADER };
    const { seen, log } = await damaged((file) => damagePages(file, damage), moment);
    expect(failures(seen)).toEqual([]);
    expect(seen.get(503)?.length).toBeGreaterThan(5);
    expect(lines(log, 'the data file is damaged')).toHaveLength(1);
  });

  it.each(moments)('with single bytes of chance, %s the start', async (moment) => {
    const damage: Damage = { seed: 3, count: 300, from: BEHIND_HEADER };
    const { seen, log } = await damaged((file) => damageBytes(file, damage), moment);
    expect(failures(seen)).toEqual([]);
    expect(seen.get(503)?.length).toBeGreaterThan(2);
    expect(log.join()).not.toContain('"level":60');
  });

  it('in one collection, whose neighbours go on', async () => {
    const { seen } = await damaged(
      (file) => damagePages(file, { seed: 3, count: 40, from: BEHIND_HEADER }),
      'after',
    );
    const answered = seen.get(200) ?? [];
    for (const path of ['/api/clients', '/1.0/library/people', '/hello']) {
      expect(
        answered.some((request) => request.startsWith(`GET ${path}`)),
        path,
      ).toBe(true);
    }
  });

  it('whose secret for tokens cannot be read: the server stays up, and lets nobody in', async () => {
    const workspace = createWorkspace(LIBRARY);
    cpSync(join(healthy.cwd, 'data'), join(workspace.cwd, 'data'), { recursive: true });
    damagePages(join(workspace.cwd, 'data/cloister.db'), { seed: 3, count: 40, from: BEHIND_HEADER });
    const log: string[] = [];
    const app = await startApp({ workspace, log });
    const asked = [
      app.inject('GET', '/health', { token: null }),
      app.inject('POST', '/token', { token: null, body: { clientId: 'other', secret: 'of another client' } }),
      app.inject('GET', BOOKS, { token }),
      app.inject('GET', '/api/audit', { token }),
      app.inject('GET', '/hello', { token: null }),
    ];
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([503, 503, 503, 503, 200]);
    expect(lines(log, 'retrying until it succeeds')).toHaveLength(1);
    await app.close();
    workspace.remove();
  });
});
