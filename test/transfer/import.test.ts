import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import type { DocumentStore, Namespace } from '../../src/stores/ports.ts';
import { createExporter } from '../../src/transfer/export.ts';
import { createImporter, type ImportState } from '../../src/transfer/import.ts';
import { BOOKS, idOf, index, NEIGHBOUR, query } from '../contracts/store-cases.ts';
import { openTemporaryStore } from '../helpers/store/temporary-store.ts';

const line = (n: number, fields: JsonObject = {}, ns: Namespace = BOOKS) =>
  `${JSON.stringify({ ...ns, document: { v: 1, ...fields, _id: idOf(n) } })}\n`;

async function* bytes(text: string, size = 10_000) {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
}

/** Imports, keeping the sizes of the commits. */
function importer(store: DocumentStore, separateDatabases = false) {
  const commits: number[] = [];
  const commit: DocumentStore['commit'] = (writes, options) => {
    commits.push(writes.length);
    return store.commit(writes, options);
  };
  const run = createImporter({
    store: { find: store.find, commit },
    separateDatabases,
    now: Date.now,
    idFields: () => new Set<string>(),
  });
  return { run, commits };
}

const idsIn = async (store: DocumentStore, ns = BOOKS) =>
  (await store.find(ns, query({ limit: 10_000 }))).map(({ _id }) => Number.parseInt(_id, 16));

const upTo = (n: number) => Array.from({ length: n }, (_, at) => at + 1);

describe('an import', () => {
  it('takes an empty file', async () => {
    const { store } = await openTemporaryStore();
    const nothing = { place: undefined, collections: 0, inserted: 0, updated: 0, same: 0 };
    expect(await importer(store).run(bytes(''))).toEqual(nothing);
    expect(await importer(store).run(bytes('\n\r\n'))).toEqual(nothing);
  });

  it('writes in batches and tells after each', async () => {
    const { store } = await openTemporaryStore();
    const { run, commits } = importer(store);
    const heard: (string | undefined)[] = [];
    const text = `${upTo(1100)
      .map((n) => line(n, {}, n > 700 ? NEIGHBOUR : BOOKS))
      .join('')}\n`;
    const state = await run(bytes(text), { onProgress: (progress) => heard.push(progress.place) });
    expect(state).toEqual({ place: 'line 1100', collections: 2, inserted: 1100, updated: 0, same: 0 });
    expect(commits).toEqual([500, 500, 100]);
    expect(heard).toEqual(['line 500', 'line 1000', 'line 1100']);
    expect(await idsIn(store)).toEqual(upTo(700));
  });

  it('ends a batch early where documents are large', async () => {
    const { store } = await openTemporaryStore();
    const { run, commits } = importer(store);
    const large = 'x'.repeat(700_000);
    await run(
      bytes(
        upTo(5)
          .map((n) => line(n, { large }))
          .join(''),
      ),
    );
    expect(commits).toEqual([2, 2, 1]);
  });

  it('does nothing when repeated, and only the rest when resumed', async () => {
    const { store } = await openTemporaryStore();
    const { run, commits } = importer(store);
    const text = upTo(900)
      .map((n) => line(n, { n }))
      .join('');
    const controller = new AbortController();
    const stopped = run(bytes(text), { signal: controller.signal, onProgress: () => controller.abort() });
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
    expect(await idsIn(store)).toHaveLength(500);
    expect(await run(bytes(text))).toMatchObject({ inserted: 400, updated: 0, same: 500 });
    expect(await run(bytes(text))).toMatchObject({ inserted: 0, updated: 0, same: 900 });
    expect(commits).toEqual([500, 400]);
  });

  it('gives what it was given, in whatever order the lines come', async () => {
    const { store: source } = await openTemporaryStore();
    const { store: target } = await openTemporaryStore();
    const text = upTo(50)
      .map((n) => line(n, { n, list: [null, { n }], text: '\u2028\r\u0000😀' }))
      .join('');
    await importer(source).run(bytes(text));
    const exported = async (store: DocumentStore) => {
      const exporter = createExporter({ store, separateDatabases: false, now: Date.now });
      let all = '';
      for await (const chunk of exporter.chunks(await exporter.plan(), () => undefined)) all += chunk.text;
      return all;
    };
    const moved = await exported(source);
    await importer(target).run(bytes(moved.trimEnd().split('\n').reverse().join('\n'), 7));
    expect(await exported(target)).toBe(moved);
  });

  it('lets the later of two lines for one document count', async () => {
    const { store } = await openTemporaryStore();
    const text = line(1, { n: 1 }) + line(2) + line(1, { n: 2 }) + line(1, { n: 3 }, NEIGHBOUR);
    expect(await importer(store).run(bytes(text))).toMatchObject({
      inserted: 3,
      updated: 1,
      place: 'line 4',
    });
    expect((await store.find(BOOKS, query()))[0]).toMatchObject({ n: 2 });
  });

  it('names a bad line; everything before it is in, nothing behind it', async () => {
    const { store } = await openTemporaryStore();
    const { run } = importer(store);
    const text = `${upTo(600)
      .map((n) => line(n))
      .join('')}{"broken\n${line(700)}`;
    let last: ImportState | undefined;
    const work = run(bytes(text), {
      onProgress: (state) => {
        last = state;
      },
    });
    await expect(work).rejects.toThrow('line 601: is not valid JSON');
    expect(await idsIn(store)).toEqual(upTo(600));
    expect(last).toMatchObject({ place: 'line 600', inserted: 600 });
  });

  it('names the line that breaks a unique index, the last of a batch included', async () => {
    const { store } = await openTemporaryStore();
    const indexes = [index('email', { email: 1 }, { unique: true, sparse: true })];
    await (await store.ensureIndexes(BOOKS, indexes)).built;
    const text = upTo(500)
      .map((n) => line(n, { email: n === 500 ? 'person1' : `person${n}` }))
      .join('');
    await expect(importer(store).run(bytes(text))).rejects.toThrow(
      'line 500: another document has the same `email`, which must be unique',
    );
    expect(await idsIn(store)).toEqual(upTo(499));
  });

  it.each([false, true])(
    'refuses a site of the other kind at its first line (separate: %s)',
    async (separate) => {
      const { store } = await openTemporaryStore();
      const { run, commits } = importer(store, separate);
      const ns = { database: separate ? null : 'library', collection: 'books' };
      await expect(run(bytes(line(1, {}, ns)))).rejects.toThrow(
        /^line 1: .*`database\.enableCollectionDatabases`/,
      );
      expect(commits).toEqual([]);
    },
  );

  it('keeps what is in when the source breaks off', async () => {
    const { store } = await openTemporaryStore();
    const broken = async function* () {
      yield Buffer.from(
        upTo(600)
          .map((n) => line(n))
          .join(''),
      );
      throw Object.assign(new Error('EIO: the disk is broken'), { code: 'EIO', syscall: 'read' });
    };
    await expect(importer(store).run(broken())).rejects.toThrow('EIO');
    expect(await idsIn(store)).toEqual(upTo(500));
  });
});
