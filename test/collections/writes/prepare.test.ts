import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRegistry } from '../../../src/collections/model/registry.ts';
import { createComposer } from '../../../src/collections/reads/compose.ts';
import { createHistoryLoader } from '../../../src/collections/reads/history-loader.ts';
import { createValidator } from '../../../src/collections/validation/validator.ts';
import { createWriter, hasSubDocuments } from '../../../src/collections/writes/prepare.ts';
import { StoreError } from '../../../src/errors.ts';
import type { Write } from '../../../src/stores/ports.ts';
import { contextOf, LIMITS, type Library, openLibrary } from '../library-service.ts';

const HERE = { prefix: '' };
let library: Library;

beforeEach(async () => {
  library = await openLibrary({ books: { fields: { title: {}, sequel: { type: 'Reference' } } } });
});

afterEach(() => library.close());

function writerOf(commit: (writes: readonly Write[]) => Promise<void>) {
  const registry = createRegistry();
  registry.put(library.at('books'));
  const store = { findText: library.store.findText.bind(library.store), commit };
  const histories = createHistoryLoader({ store: library.store });
  const composer = createComposer({ store, histories, registry, limits: LIMITS });
  const validator = createValidator(async () => true);
  return createWriter({
    store,
    registry,
    histories,
    composer,
    validator,
    limits: LIMITS,
    newId: () => 'a'.repeat(24),
    now: () => 5,
    hooks: {
      run: async () => undefined,
      runBehind: () => undefined,
      openRoom: () => ({ take: () => undefined, close: () => undefined }),
    },
  });
}

test('runs the attempt again on a new plan when someone else came first', async () => {
  const tried: number[] = [];
  const writer = writerOf(async (writes) => {
    tried.push(writes.length);
    if (tried.length < 3) throw new StoreError('conflict');
  });
  const id = 'a'.repeat(24);
  const { planned } = await writer.commit(
    [],
    async (plan) => ({
      planned: plan.insert(library.at('books'), { id, fields: { title: 'A' } }, HERE),
      items: [],
    }),
    contextOf(),
  );
  expect(planned.document).toMatchObject({ title: 'A', createdAt: 5, _id: id });
  expect(tried).toEqual([1, 1, 1]);
});

test('nothing to write is no commit', async () => {
  const writer = writerOf(async () => {
    throw new Error('committed');
  });
  expect(await writer.commit([], async () => ({ planned: 'nothing', items: [] }), contextOf())).toEqual({
    planned: 'nothing',
    updated: [],
  });
});

test('what is wrong with a body is kept until the whole tree is known', async () => {
  const writer = writerOf(async () => undefined);
  const target = {
    collection: library.at('books'),
    mode: 'create' as const,
    origin: HERE,
    room: { left: 5 },
  };
  const prepared = await writer.prepare(target, { title: 5, sequel: { title: 6 } }, contextOf());
  expect(hasSubDocuments([prepared])).toBe(true);
  expect(prepared.items.map(({ field }) => field)).toEqual(['title']);
  const attempt = async () => ({ planned: 0, items: prepared.items });
  await expect(writer.commit([prepared], attempt, contextOf())).rejects.toMatchObject({
    items: [{ field: 'title' }, { field: 'sequel.title' }],
  });
});
