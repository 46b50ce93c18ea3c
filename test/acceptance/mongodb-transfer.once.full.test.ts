// Moving a site between the two databases, in both directions, and out of a database that others wrote.
import { Binary, Long, ObjectId } from 'mongodb';
import { afterEach, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp } from '../helpers/app/app.ts';
import { exportWorkspace, fillSite, importWorkspace, readSite } from '../helpers/app/site.ts';
import { LIBRARY } from '../helpers/fixtures/library.ts';
import { describeMongo, ownDatabase, ownServer, rawClient } from '../helpers/store/mongo-servers.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

const workspaces: Workspace[] = [];
afterEach(() => {
  for (const workspace of workspaces.splice(0)) workspace.remove();
});

function embedded(database: JsonObject = {}): Workspace {
  const workspace = createWorkspace(LIBRARY, { database });
  workspaces.push(workspace);
  return workspace;
}

async function onServer(server: string, database: JsonObject = {}) {
  const uri = await ownDatabase(server);
  return { uri, workspace: embedded({ engine: 'mongodb', mongodb: { uri }, ...database }) };
}

describeMongo('moving a site', (servers) => {
  const kinds = ['standalone', 'replicaSet'] as const;

  it.each(kinds)('from the embedded database to MongoDB (%s) and back', async (kind) => {
    const source = embedded();
    await fillSite(source);
    const { output } = await exportWorkspace(source);
    const { workspace: between } = await onServer(servers[kind]);
    expect((await importWorkspace(between, output)).said).toBe('imported 150 documents of 3 collections');
    expect(await readSite(between)).toEqual(await readSite(source));
    expect((await exportWorkspace(between)).output).toBe(output);

    const target = embedded();
    await importWorkspace(target, (await exportWorkspace(between)).output);
    expect(await readSite(target)).toEqual(await readSite(source));
    expect((await importWorkspace(between, output)).said).toContain('150 were there already');
  });

  it.each(kinds)('from MongoDB (%s) to the embedded database and back', async (kind) => {
    const { workspace: source } = await onServer(servers[kind]);
    await fillSite(source);
    const { output, said } = await exportWorkspace(source);
    expect(said).toBe('exported 150 documents of 3 collections');
    const between = embedded();
    await importWorkspace(between, output);
    expect(await readSite(between)).toEqual(await readSite(source));
    const { workspace: target } = await onServer(servers[kind]);
    await importWorkspace(target, (await exportWorkspace(between)).output);
    expect(await readSite(target)).toEqual(await readSite(source));
    expect((await exportWorkspace(target)).output).toBe(output);
  });

  it.each(kinds)('into MongoDB (%s) while a server runs on it', async (kind) => {
    const source = embedded();
    await fillSite(source);
    const { workspace } = await onServer(servers[kind]);
    const app = await startApp({ workspace });
    try {
      await importWorkspace(workspace, (await exportWorkspace(source)).output);
      const { body } = await app.inject('GET', '/1.0/library/books/count');
      expect(body.metadata.totalCount).toBe(57);
    } finally {
      await app.close();
    }
  });

  it('with a database for each folder', async () => {
    const source = embedded({ enableCollectionDatabases: true });
    await fillSite(source);
    const { output } = await exportWorkspace(source);
    // A server of its own: each database that others have on it would be a folder of this site.
    const { uri } = await ownServer();
    const target = embedded({ enableCollectionDatabases: true, engine: 'mongodb', mongodb: { uri } });
    await importWorkspace(target, output);
    expect(await readSite(target)).toEqual(await readSite(source));
    expect(await rawClient(uri).db('library').collection('books').countDocuments()).toBe(57);
    expect((await exportWorkspace(target)).output).toBe(output);
  });

  it('refuses a site with a database for each folder where there is one for all', async () => {
    const source = embedded({ enableCollectionDatabases: true });
    await fillSite(source);
    const { output } = await exportWorkspace(source);
    expect(output).toMatch(/^\{"database":"library","collection":"books",/);
    const { workspace, uri } = await onServer(servers.replicaSet);
    await expect(importWorkspace(workspace, output)).rejects.toThrow(
      'cloister: import: line 1: it has a database, but `database.enableCollectionDatabases` is off',
    );
    expect(await rawClient(uri).db().listCollections().toArray()).toEqual([]);
  });

  it.each(kinds)('takes every document of a database that others wrote (%s)', async (kind) => {
    const { workspace, uri } = await onServer(servers[kind]);
    const db = rawClient(uri).db();
    const ids = [
      ...Array.from({ length: 350 }, (_, n) => n),
      ...Array.from({ length: 350 }, (_, n) => `slug-${String(n).padStart(4, '0')}`),
      '0123456789abcdef01234567',
      ...Array.from({ length: 350 }, () => new ObjectId()),
      new Date(0),
      Long.fromString('9007199254740993'),
      new Binary(Buffer.from('abc')),
      { a: 1 },
      true,
    ];
    await db.collection<{ _id: unknown }>('mixed').insertMany(ids.map((_id, n) => ({ _id, n })));
    await db.collection('own').insertMany(Array.from({ length: 1200 }, (_, n) => ({ n })));
    const alike = Array.from({ length: 400 }, (_, n) => {
      const text = n.toString(16).padStart(24, '0');
      return n % 2 === 0 ? text : new ObjectId(text);
    });
    await db.collection<{ _id: unknown }>('alike').insertMany(alike.map((_id, n) => ({ _id, n })));
    const { output, said } = await exportWorkspace(workspace);
    const lines = output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(said).toBe(`exported ${(ids.length + 1600).toLocaleString('en')} documents of 3 collections`);
    const numbersOf = (collection: string) =>
      lines
        .filter((line) => line.collection === collection)
        .map(({ document }) => document.n)
        .sort((a, b) => a - b);
    expect(numbersOf('mixed')).toEqual(ids.map((_, n) => n));
    expect(numbersOf('alike')).toEqual(alike.map((_, n) => n));
    expect(numbersOf('own')).toEqual(Array.from({ length: 1200 }, (_, n) => n));

    const text = output.split('\n').filter((line) => /"_id":"[^"]+"\}\}$/.test(line));
    const target = embedded();
    const textual = text.filter(
      (line) => !line.includes('"collection":"alike"') && !line.includes('"_id":"0123456789abcdef01234567"'),
    );
    await importWorkspace(target, textual.join('\n'));
    expect((await exportWorkspace(target)).output.trimEnd().split('\n').sort()).toEqual(textual.toSorted());
  });
});
