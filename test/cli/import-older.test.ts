import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importOlder } from '../../src/cli/import-older.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp } from '../helpers/app/app.ts';
import { captureIo, createTestStreams } from '../helpers/server-process/console.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

const BOOKS = {
  fields: {
    title: { type: 'String' },
    published: { type: 'DateTime' },
    author: { type: 'Reference', settings: { collection: 'people' } },
  },
  settings: {
    storeRevisions: true,
    authenticate: true,
    index: [{ keys: { title: 1 }, options: { unique: true } }],
  },
};
const PEOPLE = { fields: { name: { type: 'String' } }, settings: {} };

let workspace: Workspace;
beforeEach(() => {
  workspace = createWorkspace({ '1.0/library/books': BOOKS, '1.0/library/people': PEOPLE });
});
afterEach(() => workspace.remove());

const EMMA = '0b3f4d76-3f37-4f0d-9d7a-3b6a6f2f6f11';
const JANE = '1b3f4d76-3f37-4f0d-9d7a-3b6a6f2f6f11';
const FIRST = '2b3f4d76-3f37-4f0d-9d7a-3b6a6f2f6f11';

const META = { meta: { revision: 0, created: 1_500_000_000_000, version: 0 } };

function save(collections: Readonly<Record<string, readonly JsonObject[]>>, name = 'library.db'): void {
  const lists = Object.entries(collections).map(([collection, documents]) => ({
    name: collection,
    data: documents.map((document, at) => ({ ...document, ...META, $loki: at + 1 })),
  }));
  writeFileSync(join(workspace.cwd, name), JSON.stringify({ filename: name, collections: lists }));
}

const LIBRARY = {
  books: [
    {
      _id: EMMA,
      title: 'Emma',
      author: JANE,
      published: 0,
      _createdAt: 1000,
      _version: 2,
      _apiVersion: '1.0',
    },
  ],
  booksVersions: [{ _id: FIRST, _document: EMMA, title: 'Ema', author: JANE, _version: 1 }],
  people: [{ _id: JANE, name: 'Jane', _createdAt: 500, _version: 1 }],
  tokenStore: [{ _id: 'x', token: 't', tokenExpire: 5 }],
};
const CLIENTS = [
  {
    _id: 'a',
    clientId: 'web',
    secret: 'short',
    accessType: 'user',
    permissions: { collections: [{ path: 'books' }] },
  },
  { _id: 'b', clientId: 'root', secret: 'the secret of root', accessType: 'admin' },
];

async function run(flags: Readonly<Record<string, string | boolean>> = {}, from = 'library.db') {
  const io = captureIo(workspace.cwd);
  const host = createTestStreams();
  const code = await importOlder({ from, ...flags }, io, host);
  return { code, said: io.complained, host };
}

const UUIDS = 'documents had UUIDs, which no path reaches: they and what refers to them have new ids';

describe('the import of what an older API stored', () => {
  it('brings documents, references and versions over, once and again', async () => {
    save(LIBRARY);
    expect(await run()).toMatchObject({
      code: 0,
      said: [
        `3 ${UUIDS}`,
        "left out, as they are the older server's own: tokenStore",
        'imported 3 documents of 3 collections',
      ],
    });
    expect((await run()).said.at(-1)).toBe('imported 3 documents of 3 collections (3 were there already)');
    const app = await startApp({ workspace });
    try {
      const { body } = await app.inject('GET', '/1.0/library/books?compose=true&includeHistory=true');
      const [book] = body.results;
      expect(book).toMatchObject({
        title: 'Emma',
        published: '1970-01-01T00:00:00.000Z',
        createdAt: 1000,
        v: 2,
        apiVersion: '1.0',
        author: { name: 'Jane', createdAt: 500 },
        history: [{ title: 'Ema', v: 1 }],
      });
      const history = await app.inject('GET', `/1.0/library/books/${book._id}/history`);
      expect(history.body.results).toMatchObject([{ title: 'Ema', originalDocumentId: book._id, v: 1 }]);
      const path = `/1.0/library/books/${book._id}/revisions/${history.body.results[0]._id}/restore`;
      expect((await app.inject('POST', path)).body.results).toMatchObject([{ title: 'Ema', v: 3 }]);
    } finally {
      await app.close();
    }
  });

  it('says how many clients stay behind, and imports them with their secrets where it is told to', async () => {
    save({ ...LIBRARY, clientStore: CLIENTS });
    expect((await run()).said.at(-1)).toBe(
      'imported 3 documents of 3 collections; 2 clients not imported: add --clients, which keeps their secrets',
    );
    const { code, said } = await run({ clients: true });
    expect([code, said.at(-1)]).toEqual([
      0,
      'imported 3 documents of 3 collections (3 were there already), 2 clients',
    ]);
    expect(said.join()).not.toMatch(/short|the secret/);
    const again = await run({ clients: true });
    expect(again).toMatchObject({ code: 0 });
    expect(again.said.slice(-3)).toEqual([
      'client web: is there already, and stays as it is',
      'client root: is there already, and stays as it is',
      'imported 3 documents of 3 collections (3 were there already), 0 clients (2 there already)',
    ]);
    const app = await startApp({ workspace });
    try {
      const token = await app.token('web', 'short');
      expect((await app.inject('GET', '/1.0/library/books', { token })).status).toBe(200);
      expect((await app.inject('GET', '/1.0/library/people', { token })).status).toBe(401);
      const root = await app.token('root', 'the secret of root');
      const entries = await app.inject('GET', '/api/audit?action=client.create', { token: root });
      expect(entries.body.audit.map(({ target }: JsonObject) => target)).toEqual(
        expect.arrayContaining(['web', 'root']),
      );
    } finally {
      await app.close();
    }
  });

  it('names the clients that need a hand, and says when nobody would be an admin', async () => {
    const hash = `$2a$10$${'a'.repeat(53)}`;
    const odd = [
      { _id: 'a', clientId: 'web', secret: 'short', accessType: 'user' },
      { _id: 'b', clientId: 'hashed', secret: hash, _hashVersion: 1, accessType: 'admin' },
      { _id: 'c', clientId: 'with space', secret: 'abc' },
      { _id: 'd', secret: 'abc' },
      { _id: 'e', clientId: 'editor', secret: 'abc', roles: ['editors'], resources: {} },
      { _id: 'f', clientId: 'x\ny; rm -rf ~', secret: 5 },
    ];
    save({ apiClients: odd });
    const { code, said } = await run({ clients: true, 'client-collection': 'apiClients' });
    expect(code).toBe(1);
    expect(said).toEqual([
      'client hashed: needs a new secret: it has none, or one that only the older server can check. cloister clients add hashed',
      expect.stringContaining('client with space: is not imported: clientId: A client id is'),
      expect.stringContaining('client without an id: is not imported: clientId: A client id is'),
      'client editor: its roles are not carried over, nor what they permitted: editors',
      expect.stringMatching(/^client x y; rm -rf ~: needs a new secret: .*\. cloister clients add ID$/),
      'none of the clients is an admin: cloister clients add ID --admin',
      'imported 0 documents of 0 collections, 2 clients (4 not imported)',
    ]);
    expect(said.join()).not.toContain(hash);
  });

  it('leaves out what cannot be imported, by collection and id, and brings the rest over', async () => {
    save({
      books: [
        ...LIBRARY.books,
        { _id: 42, title: 'number' },
        { _id: 'x', title: 'text' },
        { _id: EMMA.replace('0', 'c'), title: 'Emma', v: 'mine', _version: 1 },
      ],
      people: [{ _id: JANE, name: 'Jane', _refFriend: { y: 'books' } }],
      'no name': [{ _id: JANE }],
    });
    // The declared indexes are there.
    await (await startApp({ workspace })).close();
    const { code, said } = await run();
    expect(code).toBe(1);
    expect(said).toEqual([
      `4 ${UUIDS}`.replace('4', '3'),
      'left out: books, document 42: `document._id` must be text',
      expect.stringMatching(/^left out: no name, document \w+: the name of the collection must be letters/),
      expect.stringMatching(
        /^left out: books, document \w+: another document has the same `title`, which must be/,
      ),
      'books: their ids are none that a path reaches, so that only lists show them (1 document)',
      'books: `v` is left out: the server writes a member of this name itself (1 document)',
      'people: `_refFriend` stays as a field: references to several collections are not composed (1 document)',
      'imported 3 documents of 2 collections; 3 were left out',
    ]);
  });

  it('names the first hundred of what it leaves out, and counts the rest', async () => {
    const people = Array.from({ length: 105 }, (_, n) => ({ _id: n, name: `p${n}` }));
    save({ people: [...people, { _id: JANE, name: 'Jane' }] });
    const { code, said } = await run();
    expect(code).toBe(1);
    expect(said.filter((line) => /^left out: people, document \d+: /.test(line))).toHaveLength(100);
    expect(said).toContain('left out: 5 more');
    expect(said.at(-1)).toBe('imported 1 document of 1 collection; 105 were left out');
  });

  it('says in one line why it cannot read the source, and names the file', async () => {
    expect((await run({}, 'nowhere')).said).toEqual([expect.stringMatching(/^cloister: import: ENOENT: /)]);
    writeFileSync(join(workspace.cwd, 'library.db'), '{"collections": [}');
    const broken =
      'cloister: import: library.db: is not valid JSON: line 1, column 18: expected a value or `]`';
    expect(await run()).toMatchObject({ code: 1, said: [broken] });
  });

  it('takes what looks like clients or tokens for documents where a specification has its name', async () => {
    workspace.specify('1.0/library/apps', PEOPLE);
    workspace.specify('1.0/library/roleStore', PEOPLE);
    const [web] = CLIENTS;
    save({ apps: [{ ...web, _id: JANE }], roleStore: [{ _id: JANE }], others: [{ ...web, _id: JANE }] });
    expect((await run()).said.slice(1)).toEqual([
      'imported 2 documents of 2 collections; 1 client not imported: add --clients, which keeps their secrets',
    ]);
  });

  it.each([
    'mongo://user:secret@host/db',
    'MONGODB://user:secret@host/db',
    'mongodb:/user:secret@host/db',
    'user:secret@host/db',
  ])('repeats nothing of a source that is no path: %s', async (from) => {
    expect(await run({}, from)).toMatchObject({
      code: 1,
      said: [
        'cloister: import: --from is neither an address that begins with mongodb:// or mongodb+srv://, nor a path',
      ],
    });
  });

  it('shows a bar on a terminal, and stops at a signal', async () => {
    save({ people: Array.from({ length: 1200 }, (_, n) => ({ _id: n.toString(16).padStart(24, '0'), n })) });
    const io = captureIo(workspace.cwd);
    const host = createTestStreams('', { terminal: true });
    expect(await importOlder({ from: 'library.db' }, io, host)).toBe(0);
    expect(host.drawn()).toMatch(/\d+% \| 1,200 documents/);
    rmSync(join(workspace.cwd, 'data'), { recursive: true });
    const stopped = createTestStreams();
    const other = captureIo(workspace.cwd);
    const work = importOlder({ from: 'library.db' }, other, stopped);
    stopped.emit('SIGINT');
    expect([await work, other.complained.at(-1)]).toEqual([1, 'cloister: import: stopped']);
  });
});
