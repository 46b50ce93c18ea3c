// A disk that is full: what was written stays readable, the write-ahead log is given back, and writes go on while
// there is room. The disk is a small one in memory, which a process of its own has to itself.
import { describe, expect, it } from 'vitest';
import { canMakeSmallDisk, onSmallDisk, temporaryFolder } from '../../helpers/temp/folders.ts';

const STORE = new URL('../../../src/stores/sqlite-documents/store.ts', import.meta.url).href;
const MEGABYTES = 14;

/** Fills the disk with small documents, makes room by removing some, and reports. */
const WRITER = `
  const { openSqliteDocuments } = await import(${JSON.stringify(STORE)});
  const ns = { database: null, collection: 'things' };
  const idOf = (n) => n.toString(16).padStart(24, '0');
  const text = 'x'.repeat(5000);
  const lines = [];
  const log = { error: (fields, message) => lines.push(message), warn: () => undefined };
  const store = await openSqliteDocuments({ path: process.argv[1] + '/data', queueLimit: 100, log });
  const insert = (n) => store.commit([{ kind: 'insert', ns, document: { _id: idOf(n), v: 1, n, text } }]);
  const reasonOf = async (work) => work.then(() => 'done', (error) => error.reason);
  let written = 0;
  let failure = 'done';
  for (; written < 5000 && failure === 'done'; written += failure === 'done' ? 1 : 0) failure = await reasonOf(insert(written));
  const everything = { kind: 'and', filters: [] };
  const read = await store.count(ns, everything);
  const large = Array.from({ length: 400 }, (_, n) => ({ kind: 'insert', ns, document: { _id: idOf(9000 + n), text } }));
  const batch = await reasonOf(store.commit(large));
  const removed = await reasonOf(store.commit([0, 1, 2, 3, 4, 5, 6, 7].map((n) => ({ kind: 'remove', ns, id: idOf(n), v: 1 }))));
  const again = await reasonOf(insert(8000));
  const health = await reasonOf(store.health());
  await store.close();
  console.log(JSON.stringify({ written, failure, read, batch, removed, again, health, lines }));
`;

describe.skipIf(!canMakeSmallDisk())('a full disk', () => {
  it('a small disk takes documents until it is full, and truncating the log frees its space', async () => {
    const { stdout, stderr } = onSmallDisk(await temporaryFolder(), WRITER, MEGABYTES);
    expect(stderr).toBe('');
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      failure: 'unavailable',
      batch: 'unavailable',
      removed: 'done',
      again: 'done',
      health: 'done',
    });
    // Two pages each, which is 8 of 14 MB at the least.
    expect(report.written).toBeGreaterThan(1000);
    expect(report.read).toBe(report.written);
    expect(new Set(report.lines)).toEqual(
      new Set(['the disk is full: writes are answered with 503 until there is room']),
    );
    expect(report.lines).toHaveLength(1);
  });
});
