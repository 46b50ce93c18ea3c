import { beforeEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../src/errors/errors.ts';
import {
  createDatabaseWorkspace,
  type DatabaseWorkspace,
  MAX_WORKSPACE_TEXT_BYTES,
} from '../../src/stores/database-workspace.ts';
import type { DocumentStore } from '../../src/stores/ports.ts';
import { openTemporaryStore } from '../helpers/store/temporary-store.ts';

const FILE = 'collections/1.0/library/collection.books.json';
const ANY = { maxBytes: 1000, followLinks: true };

describe('a workspace in a database', () => {
  let store: DocumentStore;
  let workspace: DatabaseWorkspace;
  const open = (options: Partial<Parameters<typeof createDatabaseWorkspace>[0]> = {}) =>
    createDatabaseWorkspace({ store, now: Date.now, queryMs: 5000, ...options });

  beforeEach(async () => {
    ({ store } = await openTemporaryStore());
    workspace = open();
  });

  const textOf = async (file: string) => {
    const content = await workspace.read(file, ANY);
    return content.state === 'bytes' ? Buffer.from(content.bytes).toString() : content.state;
  };

  it('holds texts by their paths', async () => {
    expect(await textOf(FILE)).toBe('absent');
    await workspace.write(FILE, '{"é": 1}');
    await workspace.write(FILE, '{"é": 2}');
    await workspace.write('hooks/slugify.js', 'x');
    expect(await textOf(FILE)).toBe('{"é": 2}');
    expect((await workspace.entries()).map(({ path, v }) => [path, v])).toEqual([
      [FILE, 2],
      ['hooks/slugify.js', 1],
    ]);
    await workspace.remove(FILE);
    await workspace.remove(FILE);
    expect(await textOf(FILE)).toBe('absent');
  });

  it('lists what is as deep as asked for', async () => {
    for (const path of ['hooks/a.js', 'hooks/deep/b.js', 'endpoints/1.0/endpoint.c.js', 'hooksmore/d.js'])
      await workspace.write(path, 'x');
    expect(await workspace.list('hooks', 0)).toEqual(['hooks/a.js']);
    expect(await workspace.list('hooks', 1)).toEqual(['hooks/deep/b.js']);
    expect(await workspace.list('endpoints', 1)).toEqual(['endpoints/1.0/endpoint.c.js']);
    expect(await workspace.listAll('hooks', 1)).toEqual(['hooks/a.js', 'hooks/deep/b.js']);
    expect(await workspace.listAll('hooks', 0)).toEqual(['hooks/a.js']);
  });

  it('reads no text that is longer than asked for, and stores none that MongoDB could not', async () => {
    await workspace.write(FILE, 'x'.repeat(11));
    expect(await workspace.read(FILE, { ...ANY, maxBytes: 10 })).toEqual({
      state: 'unreadable',
      reason: 'too-long',
    });
    await expect(workspace.write(FILE, 'x'.repeat(MAX_WORKSPACE_TEXT_BYTES + 1))).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
    expect(await textOf(FILE)).toBe('x'.repeat(11));
  });

  it('replaces texts as a whole or not at all', async () => {
    await workspace.write('hooks/old.js', 'old');
    await workspace.write('hooks/kept.js', 'kept');
    const known = await workspace.entries();
    const changes = [
      { path: 'hooks/new.js', text: 'new' },
      { path: 'hooks/kept.js', text: 'changed' },
      { path: 'hooks/old.js', text: undefined },
      { path: 'hooks/never.js', text: undefined },
    ];
    await workspace.replace(changes, known);
    expect((await workspace.entries()).map(({ path }) => path)).toEqual(['hooks/kept.js', 'hooks/new.js']);
    await expect(workspace.replace(changes, known)).rejects.toMatchObject({ reason: 'conflict' });
    await workspace.replace([], known);
    expect(await textOf('hooks/kept.js')).toBe('changed');
  });

  it('tells of a failure of the database', async () => {
    const away = async () => {
      throw new StoreError('unavailable');
    };
    const broken = open({ store: { find: store.find, commit: away } });
    await expect(broken.replace([{ path: FILE, text: 'x' }], [])).rejects.toMatchObject({
      reason: 'unavailable',
    });
    await expect(broken.write(FILE, 'x')).rejects.toMatchObject({ reason: 'unavailable' });
  });

  it('is written by two at the same time', async () => {
    const other = open();
    await Promise.all(
      [0, 1, 2, 3, 4, 5].map((n) => (n % 2 === 0 ? workspace : other).write(FILE, String(n))),
    );
    expect((await workspace.entries())[0]?.v).toBe(6);
  });

  it('says that something of this name is no text', async () => {
    const ns = { database: null, collection: 'cloister.workspace' };
    await workspace.write(FILE, 'x');
    const [{ _id, v }] = (await store.find(ns, {
      filter: { kind: 'and', filters: [] },
      sort: [],
      skip: 0,
      limit: 1,
    })) as [{ _id: string; v: number }];
    const document = { _id, v: v + 1, path: FILE, hash: 'x', text: 5 };
    await store.commit([{ kind: 'update', ns, id: _id, v, document, changed: ['v', 'text'] }]);
    expect(await workspace.read(FILE, ANY)).toEqual({ state: 'unreadable', reason: 'no-file' });
  });

  describe('that others write too', () => {
    const watch = async (folder: string, depth: number, expected: readonly string[] = []) => {
      const seen: string[] = [];
      const options = { depth, expected: () => expected, onError: () => undefined };
      const end = await workspace.watch(folder, { ...options, onFile: (file) => seen.push(file) });
      const reported = async () => {
        await workspace.refresh();
        return seen.splice(0).sort();
      };
      return { reported, end };
    };

    it('reports what they add, change and remove, and not what it wrote itself', async () => {
      const other = open();
      await other.write('hooks/a.js', '1');
      await other.write('hooks/b.js', '1');
      const { reported, end } = await watch('hooks', 0);
      expect(await reported()).toEqual([]);
      await other.write('hooks/a.js', '2');
      await other.remove('hooks/b.js');
      await other.write('hooks/c.js', '1');
      await other.write('hooks/deep/d.js', '1');
      await other.write('routes/e.json', '1');
      await workspace.write('hooks/own.js', '1');
      expect(await reported()).toEqual(['hooks/a.js', 'hooks/b.js', 'hooks/c.js']);
      expect(await reported()).toEqual([]);
      await workspace.remove('hooks/own.js');
      expect(await reported()).toEqual([]);
      await end();
      await other.write('hooks/a.js', '3');
      expect(await reported()).toEqual([]);
    });

    it('reports a file that must be there and never was', async () => {
      const { reported } = await watch('hooks', 0, ['hooks/lost.js']);
      expect(await reported()).toEqual(['hooks/lost.js']);
    });

    it('reports everything once where nobody could read it at first', async () => {
      await open().write('hooks/a.js', '1');
      let isAway = true;
      workspace = open({
        store: {
          commit: store.commit,
          find: (...args) => (isAway ? Promise.reject(new StoreError('unavailable')) : store.find(...args)),
        },
      });
      const { reported } = await watch('hooks', 0);
      await expect(workspace.refresh()).rejects.toMatchObject({ reason: 'unavailable' });
      isAway = false;
      expect(await reported()).toEqual(['hooks/a.js']);
      expect(await reported()).toEqual([]);
    });
  });
});
