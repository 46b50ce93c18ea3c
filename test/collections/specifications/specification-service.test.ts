import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { BOOKS_ADDRESS, openSpecificationService } from '../../helpers/fixtures/specifications.ts';
import { pollWithin } from '../../helpers/server-process/timing.ts';

const NOW = 1_700_000_000_000;
const NS = { database: null, collection: 'books' };
const FILE = '1.0/library/collection.books.json';
const UNIQUE = { index: [{ keys: { a: 1 }, options: { unique: true } }] };
const spec = (fields: JsonObject = { a: {} }, settings: JsonObject = {}) => ({ fields, settings });
const twin = (letter: string) =>
  ({ kind: 'insert', ns: NS, document: { _id: letter.repeat(24), a: 'same' } }) as const;

test('a posted specification is in force, written, readable; posted again it is replaced', async () => {
  const { root, service, registry } = await openSpecificationService();
  expect(await service.put(BOOKS_ADDRESS, spec())).toEqual({ created: true, warnings: [] });
  const stored = { fields: { a: {} }, settings: { lastModifiedAt: NOW } };
  expect(JSON.parse(await readFile(join(root, FILE), 'utf8'))).toEqual(stored);
  expect(service.read(BOOKS_ADDRESS)).toEqual(stored);
  expect(registry.get('1.0', 'library', 'books')?.lastModifiedAt).toBe(NOW);

  expect(await service.put(BOOKS_ADDRESS, spec({ b: {} }))).toEqual({ created: false, warnings: [] });
  expect([...(registry.get('1.0', 'library', 'books')?.fields.keys() ?? [])]).toEqual(['b']);
});

test('a rejected specification changes nothing', async () => {
  const { root, service, registry } = await openSpecificationService();
  await service.put(BOOKS_ADDRESS, spec());
  const live = registry.list();
  for (const body of [null, [], {}, spec({}), spec({ a: { type: 'No' } }), spec({ a: {} }, { count: 0 })]) {
    await expect(service.put(BOOKS_ADDRESS, body)).rejects.toMatchObject({ code: 'SPECIFICATION_INVALID' });
  }
  expect(registry.list()).toEqual(live);
  expect(JSON.parse(await readFile(join(root, FILE), 'utf8'))).toEqual(service.read(BOOKS_ADDRESS));
});

test('a unique index is in force when put resolves, and refused where data break it', async () => {
  const { store, service, registry } = await openSpecificationService();
  await service.put(BOOKS_ADDRESS, spec({ a: {} }, UNIQUE));
  await store.commit([twin('a')]);
  await expect(store.commit([twin('b')])).rejects.toMatchObject({ reason: 'duplicate', fields: ['a'] });
  await service.put(BOOKS_ADDRESS, spec());
  await store.commit([twin('b')]);
  await expect(service.put(BOOKS_ADDRESS, spec({ a: {} }, UNIQUE))).rejects.toMatchObject({
    code: 'SPECIFICATION_INVALID',
    items: [{ setting: 'index', field: 'a' }],
  });
  expect(registry.get('1.0', 'library', 'books')?.settings.indexes).toEqual([]);
});

test('when the file cannot be written the indexes go back', async () => {
  const { store, service, registry } = await openSpecificationService((files) => ({
    ...files,
    write: async () => {
      throw new Error('disk full');
    },
  }));
  await expect(service.put(BOOKS_ADDRESS, spec({ a: {} }, UNIQUE))).rejects.toThrow('disk full');
  expect(registry.list()).toEqual([]);
  await store.commit([twin('a'), twin('b')]);
});

test('a specification that is rejected because of its revisions leaves none of its indexes behind', async () => {
  const { store, service } = await openSpecificationService(undefined, ({ find, health, ensureIndexes }) => ({
    find,
    health: () => health.call(store),
    async ensureIndexes(ns, indexes) {
      if (ns.collection === 'past') throw new StoreError('index-conflict', { fields: ['v'] });
      return ensureIndexes(ns, indexes);
    },
  }));
  const settings = { ...UNIQUE, storeRevisions: true, revisionCollection: 'past' };
  await expect(service.put(BOOKS_ADDRESS, spec({ a: {} }, settings))).rejects.toMatchObject({
    code: 'SPECIFICATION_INVALID',
  });
  await store.commit([twin('a'), twin('b')]);
});

test('an endpoint that took the name meanwhile refuses a collection that waits for its index', async () => {
  let taken = false;
  const { store, service, registry } = await openSpecificationService(
    undefined,
    ({ find, health, ensureIndexes }) => ({
      find,
      health: () => health.call(store),
      async ensureIndexes(ns, indexes) {
        const ensured = await ensureIndexes(ns, indexes);
        taken = true;
        return ensured;
      },
    }),
    () => taken,
  );
  await expect(service.put(BOOKS_ADDRESS, spec({ a: {} }, UNIQUE))).rejects.toMatchObject({
    code: 'NAME_TAKEN',
  });
  expect(registry.list()).toEqual([]);
  await store.commit([twin('a'), twin('b')]);
});

test('removal keeps the documents and the indexes of the other version', async () => {
  const { root, store, service } = await openSpecificationService();
  const second = { ...BOOKS_ADDRESS, version: '2.0' };
  await service.put(BOOKS_ADDRESS, spec({ a: {} }, UNIQUE));
  await service.put(second, spec({ b: {} }, { index: [{ keys: { b: 1 } }] }));
  await store.commit([twin('a')]);
  await service.remove(BOOKS_ADDRESS);
  expect(service.read(BOOKS_ADDRESS)).toBeUndefined();
  await expect(readFile(join(root, FILE))).rejects.toThrow('ENOENT');
  const { count, indexSizes } = await store.stats(NS);
  expect(count).toBe(1);
  expect(Object.keys(indexSizes)).toContain('b_1');
  expect(Object.keys(indexSizes)).not.toContain('a_1');
  await expect(service.remove(BOOKS_ADDRESS)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('concurrent posts run one after the other', async () => {
  const { root, service } = await openSpecificationService();
  const posts = Array.from({ length: 10 }, (_, n) => service.put(BOOKS_ADDRESS, spec({ [`f${n}`]: {} })));
  const outcomes = await Promise.all(posts);
  expect(outcomes.filter(({ created }) => created)).toHaveLength(1);
  expect(JSON.parse(await readFile(join(root, FILE), 'utf8'))).toEqual(service.read(BOOKS_ADDRESS));
  expect(service.read(BOOKS_ADDRESS)?.['fields']).toEqual({ f9: {} });
});

test('a change that waits for its index keeps none waiting but those of the same documents', async () => {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const { root, service, store } = await openSpecificationService(
    undefined,
    ({ find, health, ensureIndexes }) => ({
      find,
      health: () => health.call(store),
      async ensureIndexes(ns, indexes) {
        if (indexes.some(({ unique }) => unique)) {
          begun.resolve();
          await gate.promise;
        }
        return ensureIndexes(ns, indexes);
      },
    }),
  );
  await service.load();
  const done: string[] = [];
  const slow = service.put(BOOKS_ADDRESS, spec({ a: {} }, UNIQUE)).then(() => done.push('slow'));
  await begun.promise;
  const sharing = service
    .put({ ...BOOKS_ADDRESS, version: '2.0' }, spec({ b: {} }))
    .then(() => done.push('sharing'));
  const other = { ...BOOKS_ADDRESS, name: 'others' };
  await service.put(other, spec({ c: {} }));
  await writeFile(join(root, '1.0/library/collection.others.json'), JSON.stringify(spec({ byHand: {} })));
  await pollWithin(2000, () => expect(service.read(other)?.['fields']).toEqual({ byHand: {} }));
  // What is on its way counts already.
  const clash = service.put({ ...BOOKS_ADDRESS, name: 'Books' }, spec());
  await expect(clash).rejects.toMatchObject({
    code: 'SPECIFICATION_INVALID',
    items: [{ field: 'collection' }],
  });
  await service.remove(other);
  expect(done).toEqual([]);
  gate.resolve();
  await Promise.all([slow, sharing]);
  expect(done).toEqual(['slow', 'sharing']);
  await store.commit([twin('a')]);
  await expect(store.commit([twin('b')])).rejects.toMatchObject({ reason: 'duplicate' });
});

test('edits by hand are in force within two seconds; a broken one leaves the old in force', async () => {
  const { root, service, registry, errors } = await openSpecificationService();
  await service.load();
  await service.put(BOOKS_ADDRESS, spec());
  const fields = () => [...(registry.get('1.0', 'library', 'books')?.fields.keys() ?? ['none'])];

  await writeFile(join(root, FILE), JSON.stringify(spec({ byHand: {} })));
  await pollWithin(2000, () => expect(fields()).toEqual(['byHand']));
  await writeFile(join(root, FILE), '{"fields": ');
  await pollWithin(2000, () => expect(errors).toHaveLength(1));
  expect(fields()).toEqual(['byHand']);
  await rm(join(root, FILE));
  await pollWithin(2000, () => expect(fields()).toEqual(['none']));
});

test('an edit that is noticed late does not undo a later post', async () => {
  let notice = (_file: string) => {};
  const { root, service } = await openSpecificationService((files) => ({
    ...files,
    watch: async (listener) => {
      notice = listener;
      return async () => {};
    },
  }));
  await service.load();
  await service.put(BOOKS_ADDRESS, spec({ first: {} }));
  await writeFile(join(root, FILE), JSON.stringify(spec({ byHand: {} })));
  const posted = service.put(BOOKS_ADDRESS, spec({ second: {} }));
  notice(join(root, FILE));
  await posted;
  notice(join(root, FILE));
  await service.close();
  expect(service.read(BOOKS_ADDRESS)?.['fields']).toEqual({ second: {} });
  expect(JSON.parse(await readFile(join(root, FILE), 'utf8'))).toEqual(service.read(BOOKS_ADDRESS));
});

test('a start loads what is sound and reports the rest', async () => {
  const { root, service, registry, errors } = await openSpecificationService();
  await mkdir(join(root, '1.0/library'), { recursive: true });
  await writeFile(join(root, FILE), JSON.stringify(spec()));
  await writeFile(join(root, '1.0/library/collection.broken.json'), '{');
  await service.load();
  expect(registry.list().map(({ path }) => path)).toEqual(['/1.0/library/books']);
  expect(errors).toHaveLength(1);
});
