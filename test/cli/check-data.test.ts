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

  it('says that nothing is checked where MongoDB keeps the data, and asks no server', async () => {
    workspace = createWorkspace(
      {},
      { database: { engine: 'mongodb', mongodb: { uri: 'mongodb://127.0.0.1:9/x' } } },
    );
    const { code, lines } = await run();
    expect(code).toBe(0);
    expect(lines).toEqual([expect.stringMatching(/^nothing was checked: MongoDB keeps its own indexes/)]);
  });

  it('wants a configuration that can be read', async () => {
    workspace = createWorkspace({}, { server: { port: 'x' } });
    expect(await run()).toMatchObject({ code: 1, complained: [expect.stringContaining('server.port')] });
  });
});
