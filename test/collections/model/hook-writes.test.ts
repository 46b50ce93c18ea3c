// Writes whose hooks write, with writes of others in between.
import { afterEach, describe, expect, test } from 'vitest';
import type { HookTask } from '../../../src/collections/hooks/document-hooks.ts';
import type { RequestContext } from '../../../src/collections/model/documents.ts';
import { HookWrites } from '../../../src/collections/model/hook-writes.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { createFakeHooks } from '../fake-hooks.ts';
import { contextOf, type Library, openLibrary, parse, refusalOf } from '../library-service.ts';

const HOOKS = { beforeUpdate: ['mine'], beforeDelete: ['mine'] };
const SOURCES = {
  books: {
    fields: {
      title: {},
      n: { type: 'Number' },
      shelf: { type: 'Reference', settings: { collection: 'shelves' } },
    },
    settings: { hooks: HOOKS },
  },
  shelves: { fields: { name: {} }, settings: { hooks: { beforeCreate: ['mine'] } } },
};

let library: Library;
afterEach(() => library.close());

/** What a hook would be given by `Model`: a context that reports to the hooks of the write. */
const within = ({ context }: HookTask): RequestContext => ({
  ...contextOf(),
  callDepth: 1,
  ...(context.hookWrites && { reportsTo: context.hookWrites }),
});

async function open(mine: (task: HookTask, run: number) => Promise<Json | undefined>) {
  let runs = 0;
  const hooks = createFakeHooks({
    mine: async (obj, task) => {
      // Writes of the hook itself run no hooks here.
      if (obj['n'] !== undefined && task.event === 'beforeUpdate') return undefined;
      runs += 1;
      return mine(task, runs);
    },
  });
  library = await openLibrary(SOURCES, { hooks });
  const [book] = await library.create('books', { title: 'a' });
  return { id: String(book!['_id']), runs: () => runs };
}

const set = (id: string, body: JsonObject, context = contextOf()) =>
  library.documents.updateById(library.at('books'), id, body, context, {});

/** A write of somebody else, which does not wait for the one under way. */
const asOther = () => ({ ...contextOf(), callDepth: 1 });

describe('hooks that write', () => {
  test('run once more where somebody else wrote too', async () => {
    const { id, runs } = await open(async (task, run) => {
      await set(id, { n: run }, within(task));
      if (run === 1) await set(id, { n: 70 }, asOther());
      return undefined;
    });
    const page = await set(id, { title: 'b' });
    expect([runs(), parse(page.results[0]!)]).toMatchObject([2, { title: 'b', n: 2, v: 5 }]);
  });

  test('run once more where somebody else wrote before them', async () => {
    const { id, runs } = await open(async (task, run) => {
      if (run === 1) await set(id, { n: 70 }, asOther());
      await set(id, { n: run }, within(task));
      return undefined;
    });
    await set(id, { title: 'b' });
    expect(runs()).toBe(2);
  });

  test('end after ten runs where somebody else writes whenever they run, and the message says so', async () => {
    const { id, runs } = await open(async () => {
      await set(id, { n: 1 }, asOther());
      return undefined;
    });
    const refusal = await refusalOf(set(id, { title: 'b' }));
    expect([refusal.code, runs()]).toEqual(['STORE_BUSY', 10]);
    expect(refusal.message).toContain('hooks');
    const removed = await refusalOf(library.documents.removeById(library.at('books'), id, contextOf(), {}));
    expect(removed.code).toBe('STORE_BUSY');
  });

  test('reserve what new nested documents need once, however often the write is tried', async () => {
    const created: Json[] = [];
    const { id, runs } = await open(async ({ event }, run) => {
      if (event !== 'beforeCreate') return undefined;
      created.push(run);
      // Somebody else changes the outer document: it is tried again.
      await library.store.commit([
        {
          kind: 'update',
          ns: library.at('books').namespace,
          id,
          v: run,
          changed: ['v'],
          document: { title: 'a', v: run + 1, _id: id },
        },
      ]);
      return undefined;
    });
    library.put({ ...library.at('books'), settings: { ...library.at('books').settings, hooks: null } });
    const page = await set(id, { shelf: { name: 's' } });
    expect([created, runs(), parse(page.results[0]!)['v']]).toEqual([[1], 1, 3]);
  });
});

test('hooks of hooks report to those above them', () => {
  const above = new HookWrites();
  const below = new HookWrites(above);
  below.addState('a', 2);
  above.addState('a', 3);
  below.addRemoval('b');
  expect([above.madeAllAfter('a', 1, 3), below.madeAllAfter('a', 1, 3)]).toEqual([true, false]);
  expect([above.hasRemoved('b'), above.hasWritten('b'), above.hasWritten('c')]).toEqual([true, true, false]);
  expect(above.madeAllAfter('a', 4, 3)).toBe(false);
});
