// What an ordinary developer writes in an afternoon: bare Fastify over node:sqlite, documents as JSON text, expression
// indexes for what is queried. No authentication, no validation, no cache. Arguments: folder, port, documents.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fastify from 'fastify';
import { book, PEOPLE_COUNT, person } from './documents.ts';

const [folder = '.', port = '0', documents = '0'] = process.argv.slice(2);
const PAGE = 40;

type Row = { json: string };

const db = new DatabaseSync(join(folder, 'baseline.db'));
db.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -32768;
  CREATE TABLE IF NOT EXISTS people (id TEXT PRIMARY KEY, json TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS books (id TEXT PRIMARY KEY, json TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS title ON books (json_extract(json, '$.title'));
  CREATE UNIQUE INDEX IF NOT EXISTS isbn ON books (json_extract(json, '$.isbn'));
  CREATE INDEX IF NOT EXISTS category ON books (json_extract(json, '$.category'), json_extract(json, '$.pages'));
`);

const generateId = () => randomBytes(12).toString('hex');

const insertBook = db.prepare('INSERT INTO books (id, json) VALUES (?, ?)');
const insertPerson = db.prepare('INSERT INTO people (id, json) VALUES (?, ?)');
const sampleBooks = db.prepare('SELECT json FROM books ORDER BY rowid % 997, rowid LIMIT 1000');
const bookById = db.prepare('SELECT json FROM books WHERE id = ?');
const listBooks = db.prepare('SELECT json FROM books ORDER BY id LIMIT ? OFFSET ?');
const countBooks = db.prepare('SELECT count(*) AS total FROM books');
const booksByIsbn = db.prepare("SELECT json FROM books WHERE json_extract(json, '$.isbn') = ? LIMIT ?");
const where = "json_extract(json, '$.category') = ?";
const filterBooks = db.prepare(
  `SELECT json FROM books WHERE ${where} ORDER BY json_extract(json, '$.pages') DESC LIMIT ? OFFSET ?`,
);
const countFiltered = db.prepare(`SELECT count(*) AS total FROM books WHERE ${where}`);
const peopleByIds = db.prepare('SELECT json FROM people WHERE id IN (SELECT value FROM json_each(?))');

function stamp(document: object): { _id: string } {
  return {
    _id: generateId(),
    ...document,
    apiVersion: '1.0',
    createdAt: Date.now(),
    createdBy: 'admin',
    v: 1,
  } as never;
}

function seed(): void {
  db.exec('BEGIN');
  const authors = Array.from({ length: PEOPLE_COUNT }, (_, n) => {
    const document = stamp(person(n));
    insertPerson.run(document._id, JSON.stringify(document));
    return document._id;
  });
  for (let n = 0; n < Number(documents); n += 1) {
    const document = stamp(book(n, authors[n % PEOPLE_COUNT] ?? ''));
    insertBook.run(document._id, JSON.stringify(document));
  }
  db.exec('COMMIT');
}

const parse = (rows: unknown[]) => (rows as Row[]).map(({ json }) => JSON.parse(json));
const metadata = (total?: number) => ({ limit: PAGE, page: 1, offset: 0, totalCount: total, fields: {} });

function compose(results: { author: string; composed?: object }[]) {
  const ids = [...new Set(results.map(({ author }) => author))];
  const people = new Map(parse(peopleByIds.all(JSON.stringify(ids))).map((found) => [found._id, found]));
  return results.map((found) => ({
    ...found,
    author: people.get(found.author),
    composed: { author: found.author },
  }));
}

const server = fastify({ logger: false });

server.get('/health', async () => 'ok');

server.get<{ Params: { id: string } }>('/books/:id', async ({ params }, reply) => {
  const row = bookById.get(params.id) as Row | undefined;
  if (row === undefined) return reply.code(404).send({ results: [] });
  return { results: [JSON.parse(row.json)], metadata: metadata(1) };
});

server.get<{ Querystring: Record<string, string | undefined> }>('/books', async ({ query }) => {
  const { category, isbn, total, compose: composed } = query;
  if (isbn !== undefined) {
    const results = parse(booksByIsbn.all(isbn, PAGE));
    return { results, metadata: metadata(results.length) };
  }
  const rows = category === undefined ? listBooks.all(PAGE, 0) : filterBooks.all(category, PAGE, 0);
  const counted = () =>
    (category === undefined ? countBooks.get() : countFiltered.get(category)) as { total: number };
  const results = parse(rows);
  return {
    results: composed === undefined ? results : compose(results),
    metadata: metadata(total === undefined ? undefined : counted().total),
  };
});

server.get('/sample', async () => ({ results: parse(sampleBooks.all()) }));

server.post('/books', async ({ body }) => {
  const document = stamp(body as object);
  insertBook.run(document._id, JSON.stringify(document));
  return { results: [document] };
});

if ((countBooks.get() as { total: number }).total === 0) seed();
await server.listen({ host: '127.0.0.1', port: Number(port) });
