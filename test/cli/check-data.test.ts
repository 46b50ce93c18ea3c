import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { checkData } from '../../src/cli/check-data.ts';
import { startApp } from '../helpers/app/app.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

const BOOKS = {
  fields: { title: { type: 'String' }, isbn: { type: 'String' } },
  settings: { index: [{ keys: { title: 1 } }, { keys: { isbn: 1 }, options: { unique: true } }] },
};
const EMBEDDED = { database: { engine: 'sqlite' } };

let workspace: Workspace;
afterEach(() => workspace.remove());

async function run(flags: { readonly repair?: boolean } = {}) {
  const io = captureIo(workspace.cwd);
  const code = await checkData({ data: true, ...flags }, io);
  return { code, lines: io.printed, complained: io.complained };
}

/** Does to the data file what a person with another tool may do. */
function meddle(sql: (tableOf: (index: string) => string) => string): void {
  const db = new DatabaseSync(join(workspace.cwd, 'data', 'cloister.db'));
  const find = db.prepare('select max(n) as n from indexes where name = ?');
  db.exec(sql((index) => `i_${find.get(index)?.['n']}`));
  db.close();
}

async function openSite() {
  workspace = createWorkspace({ '1.0/library/books': BOOKS }, EMBEDDED);
  const app = await startApp({ workspace });
  const books = Array.from({ length: 20 }, (_, n) => ({ title: `t${n % 4}`, isbn: `i${n}` }));
  await app.inject('POST', '/1.0/library/books', { body: books });
  return app;
}

describe('the check --data command', () => {
  it('has one line for a folder without data, and for a sound one', async () => {
    workspace = createWorkspace({}, EMBEDDED);
    expect(await run()).toMatchObject({ code: 0, lines: ['all is well: there are no data yet'] });
    workspace.remove();
    const app = await openSite();
    await app.close();
    const { code, lines } = await run();
    expect(code).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(/^all is well: \d+ documents of \d+ collections, \d+ indexes$/),
    ]);
  });

  it('names what is wrong on a stopped server, and repairs it', async () => {
    const app = await openSite();
    await app.close();
    meddle(
      (tableOf) => `
      delete from ${tableOf('title_1')} where doc = 3;
      insert into ${tableOf('title_1')} values (x'3061', 1), (x'3062', 99);
      update ${tableOf('isbn_1')} set key = cast(key || x'61' as blob) where doc = 5;
    `,
    );
    const { code, lines, complained } = await run();
    expect(code).toBe(1);
    expect(lines).toEqual([
      'books, index title_1: 1 row is missing',
      'books, index title_1: 2 surplus rows',
      'books, index isbn_1: 1 row has a wrong key',
    ]);
    expect(complained.join()).toContain('check --data --repair');
    const repaired = await run({ repair: true });
    expect(repaired.code).toBe(0);
    expect(repaired.lines.slice(3)).toEqual([
      'books, index title_1: rebuilt',
      'books, index isbn_1: rebuilt',
    ]);
    expect((await run()).code).toBe(0);
  });

  it('names damaged pages of an index, and what was not built yet', async () => {
    const app = await openSite();
    await app.close();
    meddle(() => "update indexes set ready = 0 where name = 'isbn_1'");
    const path = join(workspace.cwd, 'data', 'cloister.db');
    const db = new DatabaseSync(path);
    db.exec('pragma wal_checkpoint(truncate)');
    const root = db
      .prepare(
        `select rootpage from sqlite_schema where name = (select 'i_' || n from indexes where name = 'title_1')`,
      )
      .get();
    db.close();
    const page = Number(root?.['rootpage']);
    const bytes = readFileSync(path);
    bytes.fill(0xa5, (page - 1) * 4096 + 8, page * 4096);
    writeFileSync(path, bytes);
    const { code, lines } = await run();
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/^books, index title_1: pages of the file are damaged \(.+\)$/),
      'books, index isbn_1: not built yet',
    ]);
  });

  it('repairs beside a server, whose queries are right again', async () => {
    const app = await openSite();
    try {
      meddle((tableOf) => `delete from ${tableOf('title_1')} where doc % 2 = 0`);
      const path = `/1.0/library/books?filter=${encodeURIComponent('{"title":{"$in":["t1","t3"]}}')}`;
      const total = async () => (await app.inject('GET', path)).body.metadata.totalCount;
      expect(await total()).toBe(0);
      expect((await run({ repair: true })).code).toBe(0);
      expect(await total()).toBe(10);
      await app.inject('POST', '/1.0/library/books', { body: { title: 't1', isbn: 'new' } });
      expect(await total()).toBe(11);
      expect(await run()).toMatchObject({ code: 0, complained: [] });
    } finally {
      await app.close();
    }
  });

  it('says what no repair brings back', async () => {
    const app = await openSite();
    await app.close();
    meddle(() => "update d_1 set json = '{' where doc = 1");
    const { code, lines, complained } = await run({ repair: true });
    expect(code).toBe(1);
    expect(lines[0]).toMatch(/: 1 document cannot be read$/);
    expect(complained).toEqual(['cloister: check: documents or pages are lost: restore a backup']);
  });

  /** Makes the index of a specification file unique while the server is stopped. */
  function declare(index: object): void {
    const file = join(workspace.cwd, 'workspace/collections/1.0/library/collection.books.json');
    writeFileSync(file, JSON.stringify({ ...BOOKS, settings: { index: [BOOKS.settings.index[1], index] } }));
  }

  it('names a declared unique index that the data break, also after a start, and how many share a value', async () => {
    let app = await openSite();
    await app.close();
    declare({ keys: { title: 1 }, options: { unique: true } });
    const line =
      'books, index title_1: unique index on title not built, 20 documents share 4 values of title';
    const undeclared = 'books, index title_1: no specification declares it any more; the next start drops it';
    expect(await run()).toMatchObject({ code: 1, lines: [line, undeclared] });
    app = await startApp({ workspace });
    await app.close();
    expect(await run()).toMatchObject({ code: 1, lines: [line] });
    const refused = 'books, index title_1: cannot be built: documents are not unique in it';
    expect(await run({ repair: true })).toMatchObject({ code: 1, lines: [line, refused] });
    app = await startApp({ workspace });
    await app.inject('DELETE', '/1.0/library/books', {
      body: { query: { isbn: { $nin: ['i0', 'i4', 'i1'] } } },
    });
    await app.close();
    const few = 'books, index title_1: unique index on title not built, 2 documents have the same title';
    expect(await run()).toMatchObject({ code: 1, lines: [few] });
  });

  it('builds a missing index that the data allow, and drops one that nobody declares', async () => {
    const app = await openSite();
    await app.close();
    declare({ keys: { isbn: 1, title: 1 }, options: { unique: true, sparse: true } });
    const found = await run();
    expect(found.code).toBe(1);
    expect(found.lines).toEqual([
      'books, index isbn_1_title_1: unique index on isbn, title not built; the next start builds it',
      'books, index title_1: no specification declares it any more; the next start drops it',
    ]);
    const repaired = await run({ repair: true });
    expect(repaired.lines.slice(2, 4)).toEqual([
      'books, index isbn_1_title_1: built',
      'books, index title_1: dropped',
    ]);
    expect(repaired.code).toBe(0);
    expect(await run()).toMatchObject({ code: 0, complained: [] });
  });

  it('names the lists that keep documents out of an index', async () => {
    const app = await openSite();
    await app.inject('POST', '/1.0/library/books', { body: { title: ['a', 'b'], isbn: ['x', 'y'] } });
    await app.close();
    declare({ keys: { isbn: 1, title: 1 } });
    const line =
      'books, index isbn_1_title_1: index on isbn, title not built, 1 document has lists in two of its fields';
    expect((await run()).lines[0]).toBe(line);
    const { code, lines } = await run({ repair: true });
    expect(code).toBe(1);
    expect(lines).toContain(
      'books, index isbn_1_title_1: cannot be built: a document has lists in two of its fields',
    );
  });

  it('counts the documents that break an index beside one that cannot be read', async () => {
    const app = await openSite();
    await app.close();
    const db = new DatabaseSync(join(workspace.cwd, 'data', 'cloister.db'));
    const books = db.prepare("select n from collections where collection = 'books'").get()?.['n'];
    db.exec(`update d_${books} set json = '{' where doc = 1`);
    db.close();
    declare({ keys: { title: 1 }, options: { unique: true } });
    const { code, lines } = await run();
    expect(code).toBe(1);
    const unique = 'unique index on title not built, 19 documents share 4 values of title';
    expect(lines).toContain('books: 1 document cannot be read');
    expect(lines).toContain(`books, index title_1: ${unique}`);
  });

  it('names specifications whose indexes it cannot compare', async () => {
    const app = await openSite();
    await app.close();
    const file = join(workspace.cwd, 'workspace/collections/1.0/library/collection.books.json');
    writeFileSync(file, '{"fields": {}');
    const { code, lines } = await run();
    expect(code).toBe(1);
    expect(lines).toEqual([expect.stringContaining('collection.books.json: its indexes are not compared')]);
  });

  it('rejects where the MongoDB server that keeps the data is away', async () => {
    workspace = createWorkspace(
      { '1.0/library/books': BOOKS },
      {
        database: { engine: 'mongodb', mongodb: { uri: 'mongodb://127.0.0.1:9/x' } },
        limits: { queryMs: 100 },
        logging: { enabled: false },
      },
    );
    await expect(run()).rejects.toMatchObject({ reason: 'unavailable' });
  });

  it('wants a configuration that can be read', async () => {
    workspace = createWorkspace({}, { server: { port: 'x' } });
    expect(await run()).toMatchObject({ code: 1, complained: [expect.stringContaining('server.port')] });
  });
});
