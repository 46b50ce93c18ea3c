// What older API servers stored in MongoDB, in the forms of their releases, brought into a database of ours: it is answered as
// they answered it, and nothing is written to where it came from.
import type { Db } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importOlder } from '../../src/cli/import-older.ts';
import { startApp } from '../helpers/app/app.ts';
import {
  ANN,
  BOB,
  EMMA,
  fillFifth,
  fillSecond,
  GONE,
  id,
  PERSUASION,
  SPECS,
} from '../helpers/fixtures/older-data.ts';
import { captureIo, createTestStreams } from '../helpers/server-process/console.ts';
import { officialClient } from '../helpers/server-process/official-client.ts';
import { createDatabase, describeMongo, rawClient } from '../helpers/store/mongo-servers.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

const BOOKS = '/1.0/library/books';

const RELEASES = [
  ['2.x', fillSecond],
  ['5.x', fillFifth],
] as const;

function registerOn(server: string): void {
  let source: ReturnType<typeof createDatabase>;
  let raw: Db;
  let workspace: Workspace;

  beforeEach(() => {
    source = createDatabase(server);
    raw = rawClient(server).db(source.name);
    workspace = createWorkspace(SPECS);
  });
  afterEach(async () => {
    workspace.remove();
    await source.drop();
  });

  async function run(flags: Readonly<Record<string, boolean | string>> = {}, from = source.uri) {
    const io = captureIo(workspace.cwd);
    const code = await importOlder({ from, ...flags }, io, createTestStreams());
    return { code, said: io.complained };
  }

  const everything = async (database: Db) => {
    const names = (await database.listCollections().toArray()).map(({ name }) => name).toSorted();
    return Promise.all(names.map(async (name) => [name, await database.collection(name).find().toArray()]));
  };

  it.each(RELEASES)('of %s answer as they did', async (_release, fill) => {
    await fill(raw);
    const before = await everything(raw);
    const { code, said } = await run({ clients: true });
    expect([code, said.at(-1)], said.join('\n')).toEqual([
      0,
      'imported 8 documents of 4 collections, 2 clients',
    ]);
    expect(await everything(raw)).toEqual(before);
    expect((await run({ clients: true })).said.at(-1)).toContain('(8 were there already)');

    const app = await startApp({ workspace });
    try {
      const token = await app.token('web', 'web');
      const get = (path: string) => app.inject('GET', `${BOOKS}${path}`, { token });
      const list = await get('?compose=true');
      const about = { apiVersion: '1.0', createdBy: 'web' };
      expect(list.body.results).toMatchObject([
        {
          _id: `${EMMA}`,
          title: 'Emma',
          published: '1815-12-23T00:00:00.000Z',
          v: 3,
          ...about,
          createdAt: 1002,
          lastModifiedAt: 1005,
          lastModifiedBy: 'web',
          history: [`${id(11)}`, `${id(12)}`],
        },
        { _id: `${PERSUASION}`, title: 'Persuasion', createdAt: 1003, v: 1, ...about },
      ]);
      expect(list.body.metadata).toMatchObject({ page: 1, offset: 0, totalCount: 2, totalPages: 1 });
      // This client may not read people: references stay ids.
      expect(list.body.results[0].author).toBe(`${ANN}`);
      const history = await get(`/${EMMA}/history`);
      expect(history.body.results).toMatchObject([
        { title: 'Ema', v: 1, originalDocumentId: `${EMMA}`, author: `${ANN}` },
        { title: 'Emmma', v: 2, originalDocumentId: `${EMMA}` },
      ]);
      const included = await get(`/${EMMA}?includeHistory=true`);
      expect(included.body.results[0].history).toMatchObject([{ title: 'Ema' }, { title: 'Emmma' }]);
      expect((await get(`/${GONE}/history`)).body.results).toMatchObject([{ title: 'Sanditon' }]);
      expect((await app.inject('GET', '/1.0/library/people', { token })).status).toBe(401);

      const root = await app.token('root', 'root of all');
      const composed = await app.inject('GET', `${BOOKS}/${EMMA}?compose=true`, { token: root });
      expect(composed.body.results[0]).toMatchObject({
        author: { _id: `${ANN}`, name: 'Ann' },
        editors: [{ name: 'Ann' }, { name: 'Bob' }],
        composed: { author: `${ANN}`, editors: [`${ANN}`, `${BOB}`] },
      });
      const filtered = await get(`?filter=${JSON.stringify({ published: { $lt: '1900-01-01' } })}`);
      expect(filtered.body.results).toHaveLength(1);
      const images = await app.inject('GET', '/1.0/library/images', { token: root });
      expect(images.body.results).toMatchObject([
        {
          path: '1.0/library/images/a.jpg',
          mimetype: 'image/jpeg',
          cloudUrl: 'https://pictures.example.org/a.jpg',
        },
      ]);
      const revision = `${BOOKS}/${EMMA}/revisions/${id(11)}/restore`;
      const restored = await app.inject('POST', revision, { token: root });
      expect(restored.body.results).toMatchObject([{ title: 'Ema', v: 4, createdAt: 1002 }]);
      const removed = `${BOOKS}/${GONE}/revisions/${id(13)}/restore`;
      expect((await app.inject('POST', removed, { token: root })).body.results).toMatchObject([
        { _id: `${GONE}`, title: 'Sanditon' },
      ]);
    } finally {
      await app.close();
    }
  });

  it('are read by the official client', async () => {
    await fillFifth(raw);
    await run({ clients: true });
    const app = await startApp({ workspace });
    try {
      const api = officialClient(new URL(await app.listen()));
      const credentials = { clientId: 'root', secret: 'root of all' };
      const found = await api({ credentials }).in('books').whereFieldIsEqualTo('title', 'Emma').find();
      expect(found.results).toMatchObject([{ title: 'Emma', author: `${ANN}`, v: 3 }]);
    } finally {
      await app.close();
    }
  });

  it('go into a folder of their own where each has its database, and into MongoDB', async () => {
    await fillSecond(raw);
    const target = createDatabase(server);
    const database = { engine: 'mongodb', mongodb: { uri: target.uri } };
    workspace.remove();
    workspace = createWorkspace(SPECS, { database });
    try {
      expect((await run()).said).toEqual([
        "left out, as they are the older server's own: tokenStore",
        'imported 8 documents of 4 collections; 2 clients not imported: add --clients, which keeps their secrets',
      ]);
      const books = rawClient(server).db(target.name).collection('books');
      expect(await books.findOne({ _id: EMMA })).toMatchObject({ title: 'Emma', author: `${ANN}` });
    } finally {
      await target.drop();
    }
    workspace.remove();
    workspace = createWorkspace(SPECS, { database: { engine: 'sqlite', enableCollectionDatabases: true } });
    expect((await run()).said.at(-1)).toContain('imported 8 documents of 4 collections');
  });

  it('are not imported into the database in which they are', async () => {
    await fillSecond(raw);
    const before = await everything(raw);
    const alias = source.uri.replace('127.0.0.1', 'localhost');
    const there = { code: 1, said: [expect.stringContaining('--from is the database that is configured')] };
    for (const database of [
      { engine: 'mongodb', mongodb: { uri: source.uri } },
      { engine: 'mongodb', mongodb: { uri: alias } },
      { engine: 'mongodb', mongodb: { uri: source.uri }, enableCollectionDatabases: true },
    ]) {
      workspace.remove();
      workspace = createWorkspace(SPECS, { database });
      expect(await run()).toEqual(there);
    }
    expect(await everything(raw)).toEqual(before);
  });

  it('are asked for by a connection string that no message repeats', async () => {
    const named = source.uri.replace(/\/[^/?]*(\?|$)/, '/$1');
    expect((await run({}, named)).said).toEqual([
      'cloister: import: --from names no database: write it behind the host, as in mongodb://host/database',
    ]);
    expect((await run()).said).toEqual([
      'cloister: import: --from has no documents: is the name of its database right?',
    ]);
    const secret = 'mongodb://user:very-secret@127.0.0.1:1/library?serverSelectionTimeoutMS=100';
    for (const uri of [
      secret,
      'mongodb://user:very-secret@/library',
      'mongodb://user:very%secret@h/library',
    ]) {
      const { code, said } = await run({}, uri);
      expect([code, said.length]).toEqual([1, 1]);
      expect(said[0]).toMatch(/^cloister: import: /);
      expect(said[0]).not.toMatch(/secret|user|database\.mongodb/);
    }
  });
}

describeMongo('Data of older servers', (servers) => {
  describe.each(Object.entries(servers))('on a %s', (_kind, server) => registerOn(server));
});
