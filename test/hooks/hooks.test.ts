import { beforeEach, describe, expect, it } from 'vitest';
import type { CollectionSettings } from '../../src/collections/model/collection.ts';
import { AppError } from '../../src/errors/errors.ts';
import { createBackgroundQueue, createHooks } from '../../src/hooks/hooks.ts';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { collection } from '../http/fixtures.ts';
import { result, type StandIn, standIn, taskOf, thrown } from './fake-sandbox.ts';

let stand: StandIn;
let logged: [string, Record<string, unknown>, string][];
beforeEach(() => {
  stand = standIn();
  logged = [];
});

const open = () =>
  createHooks({
    ...stand.deps,
    limits: { jsonValues: 1000 },
    log: {
      warn: (fields, message) => void logged.push(['warn', { ...fields }, message]),
      error: (fields, message) => void logged.push(['error', { ...fields }, message]),
    },
  });

const using = (...names: string[]) => names.map((name) => ({ name, options: undefined }));
const run = (hooks: CollectionSettings['hooks'], obj: Json = {}) =>
  open().run(taskOf(hooks), JSON.stringify(obj));
const add = (name: string) => (obj: Json) => result([...((obj as Json[]) ?? []), name]);

async function detailsOf(promise: Promise<unknown>) {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw error ?? new Error('nothing was refused');
  return error.items[0]?.details;
}

describe('the hooks of an event', () => {
  it('run in a chain, each on the result of the one before', async () => {
    for (const name of ['a', 'b', 'c']) stand.hooks.set(name, add(name));
    expect(await run({ beforeCreate: using('a', 'b', 'a') }, [])).toEqual(['a', 'b', 'a']);
  });

  it('pass on an object that a hook left unchanged', async () => {
    stand.hooks.set('a', add('a'));
    stand.hooks.set('silent', () => result(undefined));
    expect(await run({ beforeCreate: using('a', 'silent', 'a') }, [])).toEqual(['a', 'a']);
    expect(await run({ beforeCreate: using('silent') })).toBeUndefined();
  });

  it('stop at the first that rejects', async () => {
    stand.hooks.set('a', () => thrown('no'));
    stand.hooks.set('b', add('b'));
    expect(await detailsOf(run({ beforeCreate: using('a', 'b') }))).toBe('a - no');
    expect(stand.jobs).toHaveLength(1);
  });

  it('are not parsed where the result is unused', async () => {
    const refused: unknown[] = [];
    stand.hooks.set('a', () => ({ kind: 'result', json: '{"not": json' }));
    const task = { ...taskOf({ beforeCreate: using('a') }), resultHandling: undefined };
    refused.push(await detailsOf(run({ beforeCreate: using('a') })));
    refused.push(await open().run(task as never, '{}'));
    expect(refused).toEqual(['a - returned what cannot be read', undefined]);
  });

  it('are those of the event only', async () => {
    stand.hooks.set('a', add('a'));
    expect(await run({ afterGet: using('a') })).toBeUndefined();
    expect(await run(null)).toBeUndefined();
  });
});

describe('after-hooks', () => {
  const books = (hooks: CollectionSettings['hooks']) => collection('books', { settings: { hooks } });
  const hooked = books({ afterUpdate: using('a', 'b') });
  const happening = (n: number) => ({
    event: 'afterUpdate' as const,
    collection: hooked,
    text: `{"n":${n}}`,
  });
  const { context } = taskOf(null);

  it('run in the background, each with its document', async () => {
    const seen: unknown[] = [];
    const ended = Promise.withResolvers<void>();
    stand.hooks.set('a', () => result(undefined));
    stand.hooks.set('b', (obj, job) => {
      const { data } = JSON.parse(job.head) as { data: JsonObject };
      seen.push([obj, data['updatedDocs']]);
      if (seen.length === 2) ended.resolve();
      return result(undefined);
    });
    open().runAfterHooks([happening(1), happening(2)], context);
    expect(seen).toEqual([]);
    await ended.promise;
    expect(seen).toEqual([
      [{ n: 1 }, [{ n: 1 }]],
      [{ n: 2 }, [{ n: 2 }]],
    ]);
    expect(logged).toEqual([]);
  });

  it('of updates hear of the document before, which counts as waiting too', async () => {
    const hooks = open();
    stand.hooks.set('a', () => result(undefined));
    stand.hooks.set('b', () => result(undefined));
    hooks.runAfterHooks([{ ...happening(2), previousText: '{"n":1}' }], context);
    await hooks.close();
    const seen = stand.jobs.map(({ head }) => (JSON.parse(head) as { data: JsonObject }).data);
    for (const data of seen)
      expect(data).toMatchObject({ updatedDocs: [{ n: 2 }], previousDocs: [{ n: 1 }] });
    expect(seen).toHaveLength(2);
    const large = { ...happening(3), previousText: JSON.stringify('x'.repeat(40_000_000)) };
    open().runAfterHooks([large, large, large, large, large, large], context);
    expect(logged).toMatchObject([['warn', { dropped: 1 }, 'after-hooks dropped: the queue is full']]);
  });

  it('that fail are logged and do not stop others', async () => {
    const hooks = open();
    stand.hooks.set('a', () => thrown('no'));
    hooks.runAfterHooks([happening(1)], context);
    await hooks.close();
    expect(logged).toMatchObject([
      ['warn', { requestId: 'r1', event: 'afterUpdate', path: '/1.0/library/books' }, 'after-hook failed'],
    ]);
  });

  it('may return anything, as results are ignored', async () => {
    const hooks = open();
    stand.hooks.set('a', () => result(undefined));
    stand.hooks.set('b', () => ({ kind: 'result', json: `[${'[],'.repeat(1_000_000)}0` }));
    hooks.runAfterHooks([happening(1)], context);
    await hooks.close();
    expect(stand.jobs).toHaveLength(2);
    expect(logged).toEqual([]);
  });

  it('that throw an internal error are logged with it', async () => {
    const hooks = open();
    stand.hooks.set('a', () => {
      throw new TypeError('defect');
    });
    hooks.runAfterHooks([happening(1)], context);
    await hooks.close();
    expect(logged).toMatchObject([['error', { err: { message: 'defect' } }, 'after-hook failed']]);
  });

  it('are limited in number, and one log line counts the dropped ones', async () => {
    const hooks = open();
    const gate = Promise.withResolvers<void>();
    stand.hooks.set('a', async () => {
      await gate.promise;
      return result(undefined);
    });
    hooks.runAfterHooks(
      Array.from({ length: 10_010 }, (_, n) => happening(n)),
      context,
    );
    expect(logged).toMatchObject([['warn', { dropped: 6 }, 'after-hooks dropped: the queue is full']]);
    const closing = hooks.close();
    gate.resolve();
    await closing;
    expect(stand.jobs.length).toBeLessThanOrEqual(8);
  });
});

function tasks() {
  const gates: PromiseWithResolvers<void>[] = [];
  const task = (size = 1) => {
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    gates.push(gate);
    return {
      size,
      begun: begun.promise,
      end: () => gate.resolve(),
      run: () => {
        begun.resolve();
        return gate.promise;
      },
    };
  };
  return { task };
}

const isBegun = async ({ begun }: { begun: Promise<void> }) =>
  (await Promise.race([begun.then(() => true), Promise.resolve(false)])) === true;

describe('the background queue', () => {
  it('runs four tasks at a time, in order', async () => {
    const { task } = tasks();
    const behind = createBackgroundQueue();
    const all = [task(), task(), task(), task(), task(), task()];
    expect(all.every((one) => behind.add(one))).toBe(true);
    await all[3]!.begun;
    expect(await isBegun(all[4]!)).toBe(false);
    all[1]!.end();
    await all[4]!.begun;
    expect(await isBegun(all[5]!)).toBe(false);
    for (const one of all) one.end();
    await all[5]!.begun;
    await behind.close();
  });

  it('limits the number and the size of waiting tasks', () => {
    const { task } = tasks();
    const behind = createBackgroundQueue();
    for (let n = 0; n < 4; n += 1) behind.add(task());
    for (let n = 0; n < 10_000; n += 1) expect(behind.add(task())).toBe(true);
    expect(behind.add(task())).toBe(false);
    const other = createBackgroundQueue();
    for (let n = 0; n < 4; n += 1) other.add(task());
    expect(other.add(task(60 * 1024 * 1024))).toBe(true);
    expect(other.add(task(5 * 1024 * 1024))).toBe(false);
    expect(other.add(task(1))).toBe(true);
  });

  it('accepts tasks again once a large one has started', async () => {
    const { task } = tasks();
    const behind = createBackgroundQueue();
    const first = task();
    behind.add(first);
    for (let n = 0; n < 3; n += 1) behind.add(task());
    const large = task(64 * 1024 * 1024);
    expect(behind.add(large)).toBe(true);
    expect(behind.add(task())).toBe(false);
    first.end();
    await large.begun;
    expect(behind.add(task())).toBe(true);
  });

  it('drops waiting tasks when it closes and waits for running ones', async () => {
    const { task } = tasks();
    const behind = createBackgroundQueue();
    const all = [task(), task(), task(), task(), task()];
    for (const one of all) behind.add(one);
    let closed = false;
    const closing = behind.close().then(() => {
      closed = true;
    });
    expect(behind.add(task())).toBe(false);
    for (const one of all.slice(0, 3)) one.end();
    await all[2]!.begun;
    expect(closed).toBe(false);
    all[3]!.end();
    await closing;
    expect(await isBegun(all[4]!)).toBe(false);
  });
});
