import { beforeEach, describe, expect, it } from 'vitest';
import type { HookCall } from '../../sandbox/protocol.ts';
import type { HookTask } from '../../src/collections/hooks/document-hooks.ts';
import { AppError } from '../../src/errors/errors.ts';
import { createHookCallEncoder, createRunHook } from '../../src/hooks/run-hook.ts';
import type { InvocationResult } from '../../src/sandbox-supervisor/model/sandbox.ts';
import { ADMIN_CLIENT } from '../http/fixtures.ts';
import { createModuleVersion } from '../modules/module-versions.ts';
import { result, type StandIn, standIn, taskOf, thrown } from './fake-sandbox.ts';

let stand: StandIn;
beforeEach(() => {
  stand = standIn();
});

const run = (name: string, more: Partial<HookTask> = {}, obj = '{"a":1}') =>
  createRunHook(stand.deps)({ name, options: undefined }, taskOf(null, more), obj);

async function refusal(promise: Promise<unknown>) {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof AppError) return error;
  throw error ?? new Error('nothing was refused');
}

describe('running a hook', () => {
  it('passes the object to the code and returns its result', async () => {
    stand.hooks.set('double', (obj) => result({ got: obj }));
    expect(await run('double')).toBe('{"got":{"a":1}}');
    expect(JSON.parse(stand.jobs[0]!.head)).toMatchObject({
      type: 'beforeCreate',
      data: { req: { for: 'hook:double', client: 'boss' } },
    });
  });

  it('resolves with undefined when the code returned nothing', async () => {
    stand.hooks.set('silent', () => result(undefined));
    expect(await run('silent')).toBeUndefined();
  });

  it.each(['null', ' null '])('takes %j for a refusal', async (json) => {
    stand.hooks.set('no', () => ({ kind: 'result', json }));
    expect((await refusal(run('no', { index: 2 }))).items).toMatchObject([
      { code: 'API-0002', details: 'no - returned null', hookName: 'no', index: 2 },
    ]);
  });

  it('rejects with the message that the code threw and logs the internal one', async () => {
    stand.hooks.set('bad', () => thrown('no title', 'NO-TITLE'));
    const { status, items } = await refusal(run('bad'));
    expect([status, items[0]?.code, items[0]?.details]).toEqual([400, 'NO-TITLE', 'bad - no title']);
    const record = { level: 'error', message: 'for the log: no title', stack: 'at line 1' };
    expect(stand.logs).toEqual([['hook:bad', 'r1', record]]);
  });

  it.each([{ kind: 'next' }, { kind: 'response', status: 200, headers: [], body: '' }] as const)(
    'is not %j',
    async (outcome) => {
      stand.hooks.set('odd', () => outcome);
      expect((await refusal(run('odd'))).code).toBe('HOOK_FAILED');
    },
  );
});

describe('a hook that cannot run', () => {
  it('is reported as missing where no module has its name', async () => {
    const { code, items } = await refusal(run('nobody'));
    expect([code, items[0]?.message]).toEqual(['ENDPOINT_SUSPENDED', 'The hook `nobody` does not exist']);
  });

  it.each([
    ['suspended', 'is suspended'],
    ['broken', 'cannot be loaded'],
    ['pending', 'waits for approval'],
  ] as const)('is %s', async (state, why) => {
    stand.hooks.set('off', () => result({}));
    stand.modules.set('off', { state });
    const { code, items } = await refusal(run('off'));
    expect([code, items[0]?.message]).toEqual(['ENDPOINT_SUSPENDED', `The hook \`off\` ${why}`]);
    expect(stand.jobs).toEqual([]);
  });

  it('is not begun without time left', async () => {
    stand.hooks.set('late', () => result({}));
    stand.clock.time = 31_000;
    expect((await refusal(run('late'))).items[0]?.details).toMatch(/^late - was not begun/);
    expect(stand.jobs).toEqual([]);
  });

  it('is not begun with more bytes than its policy allows', async () => {
    const policy = createModuleVersion('hook:small', { maxBodyBytes: 400 });
    stand.hooks.set('small', () => result({}));
    stand.modules.set('small', { moduleVersion: policy });
    await expect(run('small', {}, `"${'x'.repeat(100)}"`)).resolves.toBe('{}');
    expect((await refusal(run('small', {}, `"${'ü'.repeat(190)}"`))).items[0]?.details).toMatch(
      /^small - would get more than `maxBodyBytes`/,
    );
    expect(stand.jobs).toHaveLength(1);
  });

  it('is not begun with JSON that does not fit into its heap', async () => {
    stand.hooks.set('small', () => result({}));
    stand.modules.set('small', {
      moduleVersion: createModuleVersion('hook:small', { maxBodyBytes: 10_000_000 }),
    });
    const { items } = await refusal(run('small', {}, `[${'[],'.repeat(700_000)}0]`));
    expect(items[0]?.details).toMatch(/^small - would get more than fits into its memory/);
    expect(stand.jobs).toEqual([]);
  });

  it('is reported as disabled while the sandbox is, whether it exists or not', async () => {
    stand = standIn({ enabled: false });
    stand.hooks.set('a', () => result({}));
    expect((await refusal(run('a'))).code).toBe('SANDBOX_DISABLED');
    expect((await refusal(run('nobody'))).code).toBe('SANDBOX_DISABLED');
  });
});

describe('a busy hook', () => {
  const busy: InvocationResult = { kind: 'failure', code: 'ENDPOINT_BUSY', message: '' };

  it('rejects a request whose first hook it is', async () => {
    stand.hooks.set('busy', () => busy);
    expect((await refusal(run('busy'))).code).toBe('ENDPOINT_BUSY');
    expect(stand.jobs).toHaveLength(1);
  });

  it('is retried until its deadline where the task waits', async () => {
    stand.hooks.set('busy', () => (stand.jobs.length < 4 ? busy : result({ n: stand.jobs.length })));
    expect(await run('busy', { waitIfBusy: true })).toBe('{"n":4}');
    expect(stand.clock.time).toBe(1150);
    stand.hooks.set('always', () => busy);
    expect((await refusal(run('always', { waitIfBusy: true }))).code).toBe('ENDPOINT_BUSY');
    expect(stand.clock.time).toBe(31_000);
  });

  it('is neither retried nor begun once the request is over', async () => {
    let isOver = false;
    stand.hooks.set('busy', () => {
      isOver = stand.jobs.length === 3;
      return busy;
    });
    const task = { waitIfBusy: true, isRequestOver: () => isOver };
    expect((await refusal(run('busy', task))).code).toBe('ENDPOINT_BUSY');
    expect((await refusal(run('busy', task))).code).toBe('HOOK_FAILED');
    expect(stand.jobs).toHaveLength(3);
  });
});

describe('guest calls of a hook', () => {
  it('run for the client, one level deeper, until the deadline of the hooks', async () => {
    stand.hooks.set('asks', async (_obj, job) => {
      const { signal } = new AbortController();
      await job.performGuestCall({ name: 'model.find', args: '{}' }, signal);
      await job.performGuestCall({ name: 'model.find', args: '{}' }, signal);
      job.log({ level: 'info', message: 'hello' });
      return result({});
    });
    const { context } = taskOf(null);
    await run('asks', { context: { ...context, callDepth: 2 } });
    expect(stand.origins).toMatchObject([
      { client: ADMIN_CLIENT, requestId: 'r1', depth: 2, deadline: 31_000 },
    ]);
    expect(stand.logs).toEqual([['hook:asks', 'r1', { level: 'info', message: 'hello' }]]);
  });

  it('run without a client for writes of the server', async () => {
    stand.hooks.set('asks', async (_obj, job) => {
      await job.performGuestCall({ name: 'model.find', args: '{}' }, new AbortController().signal);
      return result({});
    });
    const { caller, deadline } = taskOf(null).context;
    await run('asks', { context: { caller, deadline } });
    expect(stand.origins).toMatchObject([{ client: null, requestId: '', depth: 0 }]);
  });
});

const unit = createModuleVersion('hook:slugify');
const use = { name: 'slugify', options: undefined };
const call = createHookCallEncoder((_unit, { method, url, body, requestId, client }, params) =>
  JSON.stringify({ method, url, body, requestId, sentBy: client?.clientId, params }),
);

const headOf = (task: HookTask, options = use.options): HookCall =>
  JSON.parse(call(unit, { ...use, options }, task));

describe('the encoded call of a hook', () => {
  it('names the event, the collection, its fields and the request', () => {
    expect(headOf(taskOf(null))).toEqual({
      type: 'beforeCreate',
      data: {
        collection: 'books',
        schema: { title: {} },
        req: {
          method: 'POST',
          url: '/1.0/library/books?x=1',
          body: { type: 'none', text: '' },
          requestId: 'r1',
          sentBy: 'boss',
          params: {},
        },
      },
    });
  });

  it('contains the options of the specification', () => {
    const options = { from: 'title', '"': 1 };
    expect(JSON.parse(call(unit, { name: 'slugify', options }, taskOf(null))).data.options).toEqual(options);
  });

  it.each([
    ['beforeUpdate', 'updatedDocs'],
    ['afterUpdate', 'updatedDocs'],
    ['beforeDelete', 'deletedDocs'],
    ['afterDelete', 'deletedDocs'],
  ] as const)('%s hears of %s', (event, name) => {
    const { data } = headOf(taskOf(null, { event, documents: ['{"a":1}', '{"b":2}'] }));
    expect(data[name]).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it('lists the documents before the write where they are not those of the hook', () => {
    const task = taskOf(null, {
      event: 'afterUpdate',
      documents: ['{"a":2}'],
      previousDocuments: ['{"a":1}'],
    });
    expect(headOf(task).data).toMatchObject({ updatedDocs: [{ a: 2 }], previousDocs: [{ a: 1 }] });
    const before = headOf(taskOf(null, { event: 'beforeUpdate', documents: ['{"a":1}'] }));
    expect(Object.keys(before.data)).not.toContain('previousDocs');
  });

  it('lists no documents for events other than updates and deletes', () => {
    const { data } = headOf(taskOf(null, { event: 'afterCreate', documents: ['{"a":1}'] }));
    expect(Object.keys(data).sort()).toEqual(['collection', 'req', 'schema']);
  });

  it('has no request for writes of posted code and of the server', () => {
    const { context } = taskOf(null);
    const { caller, deadline } = context;
    expect(headOf(taskOf(null, { context: { caller, deadline } })).data['req']).toBeNull();
    const origin = { requestId: 'r', client: null };
    expect(headOf(taskOf(null, { context: { caller, deadline, origin } })).data['req']).toBeNull();
  });
});
