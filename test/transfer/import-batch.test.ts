import { beforeEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../src/errors/errors.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import type { DocumentStore, Namespace, Write } from '../../src/stores/ports.ts';
import { writeBatch } from '../../src/transfer/import-batch.ts';
import { parseImportEntry } from '../../src/transfer/import-lines.ts';
import { BOOKS, idOf, index, insert, NEIGHBOUR, query } from '../contracts/store-cases.ts';
import { openTemporaryStore } from '../helpers/store/temporary-store.ts';

const SITE = { separateDatabases: false, idFields: () => new Set(['author']) };

let store: DocumentStore;
let committed: (readonly Write[])[];
beforeEach(async () => {
  store = (await openTemporaryStore()).store;
  committed = [];
});

let line = 0;
function entry(n: number, fields: JsonObject = {}, ns: Namespace = BOOKS) {
  line += 1;
  const text = JSON.stringify({ ...ns, document: { v: 1, ...fields, _id: idOf(n) } });
  return parseImportEntry({ number: line, bytes: Buffer.from(text), ended: true }, SITE);
}
beforeEach(() => {
  line = 0;
});

const options = (more: Partial<DocumentStore> = {}) => ({
  store: {
    find: more.find ?? store.find,
    commit:
      more.commit ??
      ((writes: readonly Write[], limits = {}) => {
        committed.push(writes);
        return store.commit(writes, limits);
      }),
  },
  now: Date.now,
});
const stored = (ns = BOOKS) => store.find(ns, query());

describe('a written batch of an import', () => {
  it('inserts what is new, replaces what differs, leaves what is the same', async () => {
    await store.commit([
      insert(BOOKS, 1, { a: 1, b: [1, { c: 2 }] }),
      insert(BOOKS, 2, { a: 1, gone: true }),
      insert(BOOKS, 9, {}),
    ]);
    const outcome = await writeBatch(
      [
        entry(1, { b: [1, { c: 2 }], a: 1 }),
        entry(2, { a: 2, v: 5, come: null }),
        entry(3, { a: 3 }),
        entry(2, { x: 1 }, NEIGHBOUR),
      ],
      options(),
    );
    expect(outcome).toEqual({ inserted: 2, updated: 1, same: 1 });
    expect(await stored()).toEqual([
      { a: 1, b: [1, { c: 2 }], v: 1, _id: idOf(1) },
      { a: 2, v: 5, come: null, _id: idOf(2) },
      { a: 3, v: 1, _id: idOf(3) },
      { v: 1, _id: idOf(9) },
    ]);
    expect(await stored(NEIGHBOUR)).toEqual([{ v: 1, x: 1, _id: idOf(2) }]);
    expect(committed[0]?.map(({ kind }) => kind)).toEqual(['update', 'insert', 'insert']);
    expect(committed[0]?.[0]).toMatchObject({ v: 1, changed: ['v', 'a', 'gone', 'come'] });
  });

  it('writes nothing the second time', async () => {
    const entries = [entry(1, { a: -0 }), entry(2, {}, NEIGHBOUR), entry(3, { '': 1, constructor: 2 })];
    expect(await writeBatch(entries, options())).toMatchObject({ inserted: 3 });
    expect(await writeBatch(entries, options())).toEqual({ inserted: 0, updated: 0, same: 3 });
    expect(committed).toHaveLength(1);
  });

  it('takes stored documents without a version, and members that every object inherits', async () => {
    await store.commit([{ kind: 'insert', ns: BOOKS, document: { a: 1, _id: idOf(1) } }]);
    const outcome = await writeBatch([entry(1, { a: 1, toString: null })], options());
    expect(outcome.updated).toBe(1);
    expect(await stored()).toEqual([{ v: 1, a: 1, toString: null, _id: idOf(1) }]);
  });

  it('looks again when others write the same documents meanwhile', async () => {
    await store.commit([insert(BOOKS, 1, { n: 0 })]);
    let races = 0;
    const commit: DocumentStore['commit'] = async (writes, limits) => {
      races += 1;
      if (races === 1) await store.commit([insert(BOOKS, 2, { theirs: true })]);
      if (races === 2) {
        const document = { _id: idOf(1), v: 2, n: 1 };
        await store.commit([{ kind: 'update', ns: BOOKS, id: idOf(1), v: 1, document, changed: ['n', 'v'] }]);
      }
      return store.commit(writes, limits);
    };
    const outcome = await writeBatch([entry(1, { n: 7 }), entry(2, { n: 8 })], options({ commit }));
    expect(outcome).toEqual({ inserted: 0, updated: 2, same: 0 });
    expect(races).toBe(3);
    expect((await stored()).map((document) => document['n'])).toEqual([7, 8]);
  });

  it('gives up on a race that never ends', async () => {
    let attempts = 0;
    const commit = async () => {
      attempts += 1;
      throw new StoreError('conflict', { index: 0 });
    };
    await expect(writeBatch([entry(1)], options({ commit }))).rejects.toThrow(
      'line 1: others keep writing this document',
    );
    expect(attempts).toBe(20);
  });

  it('names the line and the fields of a duplicate, and what stands before is in', async () => {
    await (await store.ensureIndexes(BOOKS, [index('isbn', { isbn: 1 }, { unique: true, sparse: true })]))
      .built;
    await store.commit([insert(BOOKS, 9, { isbn: 'x' }), insert(BOOKS, 2, { n: 0 })]);
    const entries = [entry(1), entry(2, { n: 0 }), entry(3, { isbn: 'x' }), entry(4)];
    await expect(writeBatch(entries, options())).rejects.toMatchObject({
      code: 'DOCUMENT_INVALID',
      message: 'line 3: another document has the same `isbn`, which must be unique',
    });
    expect((await stored()).map(({ _id }) => _id)).toEqual([1, 2, 9].map(idOf));
  });

  it.each([
    [
      new StoreError('parallel-arrays', { index: 1, fields: ['a', 'b'] }),
      '`a`, `b`: only one field of an index',
    ],
    [new StoreError('too-large', { index: 1 }), 'the document is larger than the database takes'],
  ])('names the line where the store refuses a document: %s', async (failure, message) => {
    const commit: DocumentStore['commit'] = async (writes, limits) => {
      if (writes.length > 1) throw failure;
      return store.commit(writes, limits);
    };
    const work = writeBatch([entry(1), entry(2), entry(3)], options({ commit }));
    await expect(work).rejects.toThrow(`line 2: ${message}`);
    expect(await stored()).toHaveLength(1);
  });

  it.each(['unavailable', 'timeout', 'busy'] as const)('blames no document for %s', async (reason) => {
    const commit = async () => Promise.reject(new StoreError(reason, { index: 0 }));
    await expect(writeBatch([entry(1)], options({ commit }))).rejects.toMatchObject({ reason });
  });

  it('asks for fewer at a time where what is stored is large', async () => {
    await store.commit([1, 2, 3, 4, 5].map((n) => insert(BOOKS, n, {})));
    const limits: number[] = [];
    const find: DocumentStore['find'] = async (ns, wanted) => {
      limits.push(wanted.limit);
      if (wanted.limit > 2) throw new StoreError('too-much');
      return store.find(ns, wanted);
    };
    const entries = [1, 2, 3, 4, 5].map((n) => entry(n));
    expect(await writeBatch(entries, options({ find }))).toEqual({ inserted: 0, updated: 0, same: 5 });
    expect(limits).toEqual([5, 2, 3, 1, 2]);
    const never = async () => Promise.reject(new StoreError('too-much'));
    await expect(writeBatch(entries, options({ find: never }))).rejects.toMatchObject({ reason: 'too-much' });
  });

  it('bounds the time of each step', async () => {
    const deadlines: unknown[] = [];
    const find: DocumentStore['find'] = async (_ns, _query, limits) => {
      deadlines.push(limits?.deadline);
      return [];
    };
    const commit: DocumentStore['commit'] = async (_writes, limits) => void deadlines.push(limits?.deadline);
    await writeBatch([entry(1)], { store: { find, commit }, now: () => 500 });
    expect(deadlines).toEqual([120_500, 120_500]);
  });

  it('leaves out what the store rejects, where somebody is told of it, and stores the rest', async () => {
    await (await store.ensureIndexes(BOOKS, [index('email', { email: 1 }, { unique: true })])).built;
    const rejected: string[] = [];
    const entries = [1, 2, 3, 4, 5].map((n) => entry(n, { email: n % 2 === 1 ? 'same' : `${n}` }));
    const onRejected = (error: Error) => void rejected.push(error.message);
    const result = await writeBatch(entries, { ...options(), onRejected });
    expect(result).toEqual({ inserted: 3, updated: 0, same: 0 });
    expect(rejected).toEqual(
      [3, 5].map((n) => `line ${n}: another document has the same \`email\`, which must be unique`),
    );
    expect((await stored()).map(({ _id }) => _id)).toEqual([1, 2, 4].map(idOf));
  });
});
