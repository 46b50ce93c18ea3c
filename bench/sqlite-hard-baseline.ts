// What a server over SQLite can do for the same requests, as fast as we could write it: bare Fastify, one prepared statement a
// request, integer primary keys, two indexes, a string comparison as authentication, no totals. In two modes: `objects` parses
// documents and answers with objects, which Fastify writes as JSON, so that a handler could look at them; `texts` concatenates
// what is stored, the least that can be done at all. Arguments: folder, port, documents, token, mode.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fastify, { type FastifyReply } from 'fastify';
import { book, PEOPLE_COUNT, person } from './documents.ts';

const [folder = '.', port = '0', documents = '0', token = '', mode = 'objects'] = process.argv.slice(2);
const AUTHORIZATION = `Bearer ${token}`;
const PAGE = 40;
const SAMPLE = 1000;
const METADATA = { limit: PAGE, page: 1, offset: 0 };

interface Row {
  readonly json: string;
}

const db = new DatabaseSync(join(folder, 'hard-baseline.db'));
db.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -32768;
  CREATE TABLE people (id INTEGER PRIMARY KEY, json TEXT NOT NULL);
  CREATE TABLE books (id INTEGER PRIMARY KEY, isbn TEXT NOT NULL UNIQUE, author INTEGER NOT NULL, json TEXT NOT NULL);
  CREATE INDEX category ON books (json_extract(json, '$.category'), json_extract(json, '$.pages'));
`);

const insertPerson = db.prepare('INSERT INTO people (id, json) VALUES (?, ?)');
const insertBook = db.prepare('INSERT INTO books (id, isbn, author, json) VALUES (?, ?, ?, ?)');
const byId = db.prepare('SELECT json FROM books WHERE id = ?');
const byIsbn = db.prepare('SELECT json FROM books WHERE isbn = ?');
const list = db.prepare(`SELECT json FROM books ORDER BY id LIMIT ${PAGE}`);
const filtered = db.prepare(
  `SELECT json FROM books WHERE json_extract(json, '$.category') = ?
   ORDER BY json_extract(json, '$.pages') DESC LIMIT ${PAGE}`,
);
const joined = db.prepare(
  `SELECT b.json AS json, p.json AS author FROM books b JOIN people p ON p.id = b.author ORDER BY b.id LIMIT ${PAGE}`,
);
// The author is the last member of each text, so that another text can take its place.
const composed = db.prepare(
  `SELECT substr(b.json, 1, instr(b.json, ',"author":')) || '"author":' || p.json || ',"composed":{"author":"' || b.author || '"}}' AS json
   FROM books b JOIN people p ON p.id = b.author ORDER BY b.id LIMIT ${PAGE}`,
);
const sampled = db.prepare(`SELECT json FROM books ORDER BY id % 997, id LIMIT ${SAMPLE}`);

const stamp = (id: number) =>
  `{"_id":"${id}","apiVersion":"1.0","createdAt":${Date.now()},"createdBy":"admin","v":1,`;
const textOf = (id: number, body: object) => stamp(id) + JSON.stringify(body).slice(1);

db.exec('BEGIN');
for (let id = 1; id <= PEOPLE_COUNT; id += 1) insertPerson.run(id, textOf(id, person(id)));
let lastId = 0;
for (; lastId < Number(documents); lastId += 1) {
  const author = (lastId % PEOPLE_COUNT) + 1;
  const document = book(lastId, String(author));
  insertBook.run(lastId + 1, String(document['isbn']), author, textOf(lastId + 1, document));
}
db.exec('COMMIT');

/** The answers of one mode, and how it takes a body. */
interface Handlers {
  readonly one: (row: Row) => object | string;
  readonly page: (rows: unknown[]) => object | string;
  readonly composed: () => object | string;
  readonly create: (body: never) => object | string;
}

const parse = ({ json }: Row) => JSON.parse(json);

const objects: Handlers = {
  one: (row) => ({ results: [parse(row)], metadata: METADATA }),
  page: (rows) => ({ results: (rows as Row[]).map(parse), metadata: METADATA }),
  composed() {
    const results = (joined.all() as unknown as (Row & { readonly author: string })[]).map((row) => {
      const found = parse(row);
      found.composed = { author: found.author };
      found.author = JSON.parse(row.author);
      return found;
    });
    return { results, metadata: METADATA };
  },
  create(body: { readonly isbn: string; readonly author: string }) {
    lastId += 1;
    const own = { _id: String(lastId), apiVersion: '1.0', createdAt: Date.now(), createdBy: 'admin', v: 1 };
    const document = { ...own, ...body };
    insertBook.run(lastId, body.isbn, Number(body.author), JSON.stringify(document));
    return { results: [document] };
  },
};

const END = `],"metadata":${JSON.stringify(METADATA)}}`;

const texts: Handlers = {
  one: ({ json }) => `{"results":[${json}${END}`,
  page: (rows) => `{"results":[${(rows as Row[]).map(({ json }) => json).join(',')}${END}`,
  composed: () => texts.page(composed.all()),
  // Parsed to know that it is JSON and what its columns are, never written again.
  create(body: string) {
    const { isbn, author } = JSON.parse(body) as { isbn: string; author: string };
    lastId += 1;
    const json = stamp(lastId) + body.slice(1);
    insertBook.run(lastId, isbn, Number(author), json);
    return `{"results":[${json}]}`;
  },
};

const handlers = mode === 'texts' ? texts : objects;

const server = fastify({ logger: false, onProtoPoisoning: 'ignore', onConstructorPoisoning: 'ignore' });
server.addHook('onRequest', (request, reply, done) => {
  if (request.headers.authorization === AUTHORIZATION) done();
  else reply.code(401).send({});
});
if (mode === 'texts') {
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );
}
const answer = (reply: FastifyReply, body: object | string) =>
  reply.type('application/json; charset=utf-8').send(body);

server.get('/health', () => 'ok');
server.get<{ Params: { id: string } }>('/books/:id', ({ params }, reply) => {
  const row = byId.get(Number(params.id)) as Row | undefined;
  if (row === undefined) reply.code(404).send({ results: [] });
  else answer(reply, handlers.one(row));
});
server.get<{ Querystring: Record<string, string | undefined> }>('/books', ({ query }, reply) => {
  const { isbn, category, compose } = query;
  if (isbn !== undefined) answer(reply, handlers.page(byIsbn.all(isbn)));
  else if (category !== undefined) answer(reply, handlers.page(filtered.all(category)));
  else answer(reply, compose === undefined ? handlers.page(list.all()) : handlers.composed());
});
server.get('/sample', (_request, reply) => answer(reply, handlers.page(sampled.all())));
server.post('/books', ({ body }, reply) => answer(reply, handlers.create(body as never)));
await server.listen({ host: '127.0.0.1', port: Number(port) });
