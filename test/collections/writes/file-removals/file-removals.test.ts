// The files of removed records: gone with them, or as soon as that can be done.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFileRemovals } from '../../../../src/collections/writes/file-removals/file-removals.ts';
import { insertEntry } from '../../../../src/collections/writes/file-removals/removal-entries.ts';
import { StoreError } from '../../../../src/errors/errors.ts';
import { pause } from '../../../../src/lib/async/retry.ts';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import { MATCH_ALL } from '../../../../src/stores/filter.ts';
import { createMemoryFiles, type MemoryFiles } from '../../../helpers/store/memory-media.ts';
import { AGES, contextOf, type Library, openLibrary, parse } from '../../library-service.ts';

const SOURCES = {
  images: { fields: { alt: {} }, settings: { type: 'media' } },
  books: { fields: { title: {}, path: {} } },
};
const REMOVALS = { database: null, collection: 'cloister.media-removals' };
const keyOf = (name: string) => `1.0/library/images/2026/${name}`;

let files: MemoryFiles;
let library: Library;
beforeEach(async () => {
  files = createMemoryFiles();
  library = await openLibrary(SOURCES, { files });
});
afterEach(() => library.close());

/** Stores a file and its record; resolves with the id of the record. */
async function upload(name: string, path = keyOf(name)): Promise<string> {
  files.keys.set(keyOf(name), 0);
  const record = { serverFields: { fileName: name, path }, fields: {} };
  const { results } = await library.documents.createRecords(library.at('images'), [record], contextOf());
  return String(parse(results[0]!)['_id']);
}

const removeById = (id: string) => library.documents.removeById(library.at('images'), id, contextOf(), {});
const removeAll = (query: JsonObject, name = 'images') =>
  library.documents.removeByQuery(library.at(name), { query, all: true }, contextOf(), {});
const entries = () => library.store.find(REMOVALS, { filter: MATCH_ALL, sort: [], skip: 0, limit: 1000 });
const names = () => [...files.keys.keys()].map((key) => key.slice(key.lastIndexOf('/') + 1));

/** Another process on the same documents, whose clock shows `at`. */
function serverAt(at: number, { isSole = false, lines = [] as unknown[] } = {}) {
  const { store } = library;
  const log = { warn: (fields: object, message: string) => lines.push({ message, ...fields }) };
  let made = 0;
  const generateId = () => {
    made += 1;
    return `other${made}`;
  };
  return createFileRemovals({ store, files, generateId, now: () => at, queryMs: AGES, isSole, log, pause });
}

test('a file goes with its record, by id and by query', async () => {
  const id = await upload('a.png');
  for (const name of ['b.png', 'c.jpg', 'd.jpg']) await upload(name);
  await removeById(id);
  expect(names()).toEqual(['b.png', 'c.jpg', 'd.jpg']);
  await removeAll({ fileName: { $regex: 'jpg$' } });
  expect(names()).toEqual(['b.png']);
  expect(await entries()).toEqual([]);
});

test('a bucket that is away fails no removal: it is told of, and made up for later', async () => {
  for (const name of ['a.png', 'b.png', 'c.png']) await upload(name);
  files.fail(1);
  expect(await removeAll({})).toMatchObject({ deleted: 3 });
  expect(await library.all('images')).toEqual([]);
  expect(names()).toEqual(['b.png', 'c.png']);
  const [entry] = await entries();
  expect(entry).toMatchObject({ paths: ['a.png', 'b.png', 'c.png'].map(keyOf), v: 1 });
  const later = Number(entry!['claimedUntil']);
  const lines: unknown[] = [];
  const server = serverAt(later, { lines });
  expect(await server.retryAll()).toBe(1);
  expect(lines).toMatchObject([
    { message: expect.stringContaining('could not remove files'), suppressed: 0 },
  ]);
  files.recover();
  expect(await serverAt(later).retryAll()).toBe(1);
  expect(await serverAt(later + 100_000).retryAll()).toBe(0);
  expect([names(), await entries()]).toEqual([[], []]);
});

test('what a crash left is finished at the next start, at once where no other server can be at it', async () => {
  await upload('a.png');
  files.fail();
  await removeAll({});
  files.recover();
  const soon = Number((await entries())[0]!['createdAt']) + 1;
  expect(await serverAt(soon).retryAll()).toBe(1);
  expect(names()).toEqual(['a.png']);
  expect(await serverAt(soon, { isSole: true }).retryAll()).toBe(0);
  expect([names(), await entries()]).toEqual([[], []]);
});

test('every entry is finished, however many there are, by one of several servers, and conflicts are no warnings', async () => {
  const server = serverAt(0);
  const namespace = library.at('images').namespace;
  const made = Array.from({ length: 120 }, (_, n) => {
    files.keys.set(keyOf(`${n}.png`), 0);
    return server.createEntries(namespace, [{ _id: `r${n}`, path: keyOf(`${n}.png`) }])[0]!;
  });
  await library.store.commit(made.map(insertEntry), {});
  const later = made[0]!.claimedUntil;
  const lines: unknown[] = [];
  const servers = [serverAt(later, { lines }), serverAt(later, { lines })];
  await Promise.all(servers.map((one) => one.retryAll()));
  expect([names(), await entries(), lines]).toEqual([[], [], []]);
});

test('an entry that another program wrote without paths names no files, and goes', async () => {
  await upload('a.png');
  const document = { ...REMOVALS, _id: '0'.repeat(24), v: 1, createdAt: 0, claimedBy: 'x', claimedUntil: 0 };
  await library.store.commit([{ kind: 'insert', ns: REMOVALS, document }], {});
  expect(await serverAt(1000).retryAll()).toBe(0);
  expect([names(), await entries()]).toEqual([['a.png'], []]);
});

test('an entry whose claim ends before its files could be gone is left to the next round', async () => {
  let time = 5000;
  const { store } = library;
  const removals = createFileRemovals({
    store,
    files,
    queryMs: AGES,
    isSole: true,
    log: { warn: () => undefined },
    pause,
    generateId: () => 'e1',
    now: () => time,
  });
  files.keys.set(keyOf('a.png'), 0);
  const [entry] = removals.createEntries(library.at('images').namespace, [
    { _id: 'r', path: keyOf('a.png') },
  ]);
  time = entry!.claimedUntil - 1;
  await removals.removeNow([entry!]);
  expect(names()).toEqual(['a.png']);
});

test('documents of other collections take no files along, whatever their path says', async () => {
  await upload('a.png');
  await library.create('books', { title: 'x', path: keyOf('a.png') });
  await removeAll({}, 'books');
  expect(names()).toEqual(['a.png']);
});

test('many files make several entries, and a removal that fails writes none', async () => {
  const many = Array.from({ length: 1200 }, (_, n) => `${n}.png`);
  const records = many.map((name) => ({ serverFields: { fileName: name, path: keyOf(name) }, fields: {} }));
  await library.documents.createRecords(library.at('images'), records, contextOf());
  files.fail();
  const past = { ...contextOf(), deadline: 0 };
  const images = library.at('images');
  await expect(library.documents.removeByQuery(images, { query: {}, all: true }, past, {})).rejects.toThrow();
  expect(await entries()).toEqual([]);
  await removeAll({});
  expect((await entries()).map(({ paths }) => (paths as string[]).length)).toEqual([500, 500, 200]);
});

test('a removal of files goes on behind an answer that has waited long enough, and close waits for it', async () => {
  const id = await upload('a.png');
  const gate = Promise.withResolvers<void>();
  const waits: number[] = [];
  const { store } = library;
  const removals = createFileRemovals({
    store,
    now: () => 5000,
    queryMs: AGES,
    isSole: true,
    log: { warn: () => undefined },
    generateId: () => 'e1',
    files: { ...files, remove: (keys) => gate.promise.then(() => files.remove(keys)) },
    pause: async (milliseconds) => void waits.push(milliseconds),
  });
  await removeById(id);
  files.keys.set(keyOf('a.png'), 0);
  const [entry] = removals.createEntries(library.at('images').namespace, [{ _id: id, path: keyOf('a.png') }]);
  await removals.removeNow([entry!]);
  expect([waits, names()]).toEqual([[2000], ['a.png']]);
  const closed = removals.close();
  gate.resolve();
  await closed;
  expect(names()).toEqual([]);
});

test('a removal of files is repeated after a round in which the database was away', async () => {
  const waits: number[] = [];
  const lines: unknown[] = [];
  const until = Promise.withResolvers<void>();
  const { store } = library;
  let isAway = true;
  const removals = createFileRemovals({
    files,
    queryMs: AGES,
    isSole: true,
    generateId: () => 'e1',
    now: () => 5000,
    store: {
      commit: (...writes) => store.commit(...writes),
      find: (...query) => (isAway ? Promise.reject(new StoreError('unavailable')) : store.find(...query)),
    },
    log: { warn: (_, message) => lines.push(message) },
    pause: async (milliseconds, signal) => {
      waits.push(milliseconds);
      if (!isAway) until.resolve();
      if (!isAway) return pause(1_000_000, signal);
      isAway = false;
    },
  });
  removals.start();
  await until.promise;
  expect([waits, lines]).toEqual([[15_000, 600_000], [expect.stringContaining('will retry')]]);
  await removals.close();
});

test('a removal of files is repeated behind everything else until nothing is left', async () => {
  await upload('a.png');
  files.fail();
  await removeAll({});
  const waits: number[] = [];
  const { store } = library;
  const until = Promise.withResolvers<void>();
  let time = 10_000_000;
  const removals = createFileRemovals({
    store,
    files,
    queryMs: AGES,
    isSole: false,
    log: { warn: () => undefined },
    generateId: () => 'e1',
    now: () => time,
    pause: async (milliseconds, signal) => {
      waits.push(milliseconds);
      time += milliseconds + 60_000;
      if (waits.length === 3) files.recover();
      if (waits.length < 4) return;
      until.resolve();
      await pause(1_000_000, signal);
    },
  });
  removals.start();
  await until.promise;
  expect([waits, names()]).toEqual([[15_000, 30_000, 60_000, 600_000], []]);
  await removals.close();
});
