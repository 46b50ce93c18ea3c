import { describe, expect, test } from 'vitest';
import type { HookTask } from '../../../src/collections/hooks/document-hooks.ts';
import { hasHooks, openHookSession } from '../../../src/collections/hooks/document-hooks.ts';
import type { Json } from '../../../src/lib/json/json.ts';
import { callerNamed, collectionOf } from '../library-service.ts';

const books = collectionOf('books', {
  fields: { title: {} },
  settings: { hooks: { beforeCreate: ['a'], beforeDelete: ['b'], beforeGet: ['c'] } },
});
const at = { event: 'beforeCreate', collection: books } as const;
const none = { event: 'afterGet', collection: books } as const;

function begin(run: (task: HookTask, obj: string) => Json | undefined | Promise<Json | undefined>) {
  const clock = { time: 1000 };
  const closed: string[] = [];
  const hooks = {
    run: async (task: HookTask, obj: string) => run(task, obj),
    runAfterHooks: () => undefined,
    openResultQuota: () => ({ reserve: () => undefined, close: () => void closed.push('quota') }),
  };
  const context = { caller: callerNamed('ann'), deadline: 6000, depth: 2 };
  return { clock, closed, session: openHookSession({ hooks, now: () => clock.time }, context) };
}

test('a collection tells whether it has hooks', () => {
  expect([hasHooks(at), hasHooks(none)]).toEqual([true, false]);
  const bare = collectionOf('bare', { fields: { title: {} } });
  expect(hasHooks({ event: 'beforeCreate', collection: bare })).toBe(false);
});

describe('time', () => {
  test('that hooks take does not count against the database', async () => {
    const { session, clock } = begin(() => {
      clock.time += 4000;
      return undefined;
    });
    expect(session.context).toMatchObject({ deadline: 6000, depth: 2 });
    await session.transform(at, {});
    expect(session.context.deadline).toBe(10_000);
    await session.runEach({ ...at, event: 'beforeDelete' }, ['{}']);
    expect(session.context.deadline).toBe(14_000);
  });

  test('of hooks side by side counts once, failures too', async () => {
    const { session, clock } = begin(async () => {
      await Promise.resolve();
      clock.time += 10;
      throw new Error('no');
    });
    const objs = [{}, {}, {}];
    await expect(session.transformEach(at, objs, () => ({}))).rejects.toThrow('no');
    expect(session.context.deadline).toBeLessThanOrEqual(6030);
    expect(session.context.deadline).toBeGreaterThanOrEqual(6010);
  });

  test('together is bounded from the first', async () => {
    const untils: number[] = [];
    const { session, clock } = begin((task) => {
      untils.push(task.until);
      clock.time += 5;
      return undefined;
    });
    await session.transform(at, {});
    await session.transform(at, {});
    expect(untils).toEqual([31_000, 31_000]);
  });
});

describe('results', () => {
  test('must be objects where documents are changed', async () => {
    const { session } = begin((task) => task.resultHandling?.validate([]) ?? 'no fault');
    expect(await session.transform(at, {})).toMatch(/^must return an object/);
    const other = begin((task) => task.resultHandling?.validate({}) ?? { fine: true });
    expect(await other.session.transform(at, {})).toEqual({ fine: true });
  });

  test('have no use where documents are only shown', async () => {
    const faults: unknown[] = [];
    const { session } = begin((task, obj) => {
      faults.push(task.resultHandling, task.documents, obj);
      return undefined;
    });
    await session.runEach({ ...at, event: 'beforeDelete' }, ['{"a":1}']);
    expect(faults).toEqual([undefined, ['{"a":1}'], '{"a":1}']);
  });

  test('leave the object as it is when nothing is returned, or nobody is asked', async () => {
    const { session } = begin(() => undefined);
    const obj = { a: 1 };
    expect(await session.transform(at, obj)).toBe(obj);
    expect(await session.transformText({ ...at, event: 'beforeGet' }, '{}', () => undefined)).toBeUndefined();
    const never = begin(() => {
      throw new Error('asked');
    });
    expect(await never.session.transform(none, obj)).toBe(obj);
    expect(await never.session.transformEach(none, [obj], () => ({}))).toEqual([obj]);
    await never.session.runEach(none, ['{}']);
    expect(await never.session.transformText(none, '{}', () => undefined)).toBeUndefined();
  });
});

test('results have one quota per request, which is closed with the session', async () => {
  const quotas = new Set<unknown>();
  const { session, closed } = begin((task) => void quotas.add(task.resultHandling?.quota));
  await session.transform(at, {});
  await session.transformEach(at, [{}, {}], () => ({}));
  expect([quotas.size, closed]).toEqual([1, []]);
  session[Symbol.dispose]();
  expect(closed).toEqual(['quota']);
});

test('documents that are in hooks when their request ends learn of it', async () => {
  const tasks: HookTask[] = [];
  const { session } = begin((task) => void tasks.push(task));
  await session.transform(at, {});
  await session.transformText({ ...at, event: 'beforeGet' }, '{}', () => undefined);
  await session.runEach({ ...at, event: 'beforeDelete' }, ['{}']);
  const over = () => tasks.map((task) => task.isRequestOver?.());
  expect(over()).toEqual([false, false, false]);
  session[Symbol.dispose]();
  expect(over()).toEqual([true, true, true]);
});

test('all documents but the first of a request wait for a busy hook', async () => {
  const waiting: unknown[] = [];
  const { session } = begin((task) => {
    waiting.push(task.waitIfBusy);
    return undefined;
  });
  await session.transformEach(at, [{}, {}, {}], () => ({}));
  await session.runEach({ ...at, event: 'beforeDelete' }, ['{}', '{}']);
  await session.transform(at, {});
  expect(waiting).toEqual([false, true, true, false, true, undefined]);
});

test('at most eight documents of a request are in hooks at once', async () => {
  let running = 0;
  let most = 0;
  const { session } = begin(async () => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    return undefined;
  });
  const objs = Array.from({ length: 30 }, (_, n) => ({ n }));
  expect(await session.transformEach(at, objs, (index) => ({ index }))).toEqual(objs);
  expect(most).toBe(8);
});
