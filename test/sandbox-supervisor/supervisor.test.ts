import { afterAll, describe, expect, it } from 'vitest';
import type { GuestCall, GuestLogRecord } from '../../src/sandbox-supervisor/model/sandbox.ts';
import {
  ALL_LAYERS,
  createModuleVersion,
  createTestSandbox,
  invocationRequest,
  openSandbox,
} from '../helpers/sandbox/sandbox.ts';

const { sandbox, incidents } = createTestSandbox();
afterAll(() => sandbox.close());

const get = (body: string) =>
  createModuleVersion(`module.exports.get = async (req, res, next) => { ${body} };`);

describe('the sandbox', () => {
  it('starts no process before it is needed', async () => {
    const lazy = createTestSandbox().sandbox;
    expect(lazy.status()).toMatchObject({ level: 0, hosts: { running: 0, busy: 0, spare: 0, max: 16 } });
    await lazy.close();
  });

  it('returns the response of the handler', async () => {
    const outcome = await sandbox.invoke(
      invocationRequest(get('res.statusCode = 201; res.setHeader("X-A", "b"); res.end("ü")')),
    );
    expect(outcome).toEqual({ kind: 'response', status: 201, headers: [['X-A', 'b']], body: 'ü' });
  });

  it('tells invocations of one batch apart', async () => {
    const unit = get('res.end(req.query.n + "é".repeat(Number(req.query.n) % 3))');
    const numbers = Array.from({ length: 60 }, (_, n) => n);
    const outcomes = await Promise.all(
      numbers.map((n) => sandbox.invoke(invocationRequest(unit, { query: { n: String(n) } }))),
    );
    expect(outcomes.map((outcome) => (outcome.kind === 'response' ? outcome.body : outcome))).toEqual(
      numbers.map((n) => `${n}${'é'.repeat(n % 3)}`),
    );
  });

  it('passes large bodies on as bytes, in both directions', async () => {
    const unit = createModuleVersion('module.exports.post = (req, res) => res.end(req.body + "ü")');
    const head = JSON.parse(invocationRequest(unit).head) as object;
    const text = 'aö€😀'.repeat(50_000);
    const job = invocationRequest(unit, { body: text });
    const post = { ...job, head: JSON.stringify({ ...head, method: 'POST', bodyType: 'text' }) };
    const outcome = await sandbox.invoke(post);
    expect(outcome.kind === 'response' && outcome.body.toString()).toBe(`${text}ü`);
  });

  it('passes binary bodies on', async () => {
    const outcome = await sandbox.invoke(invocationRequest(get('res.end(new Uint8Array([0, 255, 128]))')));
    expect(outcome).toMatchObject({ kind: 'response', body: Buffer.from([0, 255, 128]) });
  });

  it('runs hooks', async () => {
    const unit = createModuleVersion('module.exports = (obj, type, data) => ({ ...obj, type, data })', {
      kind: 'hook',
    });
    const job = invocationRequest(unit, {
      head: '{"type":"beforeCreate","data":{"a":1}}',
      body: '{"t":"x"}',
    });
    expect(await sandbox.invoke(job)).toEqual({
      kind: 'result',
      json: '{"t":"x","type":"beforeCreate","data":{"a":1}}',
    });
    const silent = createModuleVersion('module.exports = () => undefined', { kind: 'hook' });
    expect(await sandbox.invoke({ ...job, moduleVersion: silent })).toEqual({
      kind: 'result',
      json: undefined,
    });
  });

  it('tells a throw, a rejection, next, next with an error, and no response apart', async () => {
    expect(await sandbox.invoke(invocationRequest(get('throw new Error("broken")')))).toMatchObject({
      kind: 'failure',
      code: 'ENDPOINT_ERROR',
      message: expect.stringContaining('broken'),
      stack: expect.stringContaining('endpoint.test.js:1'),
      thrown: { message: expect.stringContaining('broken') },
    });
    expect(await sandbox.invoke(invocationRequest(get('next()')))).toEqual({ kind: 'next' });
    expect(
      await sandbox.invoke(invocationRequest(get('const e = new Error("no"); e.statusCode = 403; next(e)'))),
    ).toEqual({
      kind: 'next',
      error: { message: expect.stringContaining('no'), statusCode: 403 },
    });
    expect(await sandbox.invoke(invocationRequest(get('')))).toMatchObject({
      kind: 'failure',
      code: 'ENDPOINT_TIMEOUT',
    });
  });

  it('rejects a response over its limit, as a violation', async () => {
    const unit = createModuleVersion('module.exports.get = (req, res) => res.end("x".repeat(2000))', {
      id: 'endpoint:1.0/large',
      limits: { responseBytes: 1000 },
    });
    expect(await sandbox.invoke(invocationRequest(unit))).toMatchObject({
      code: 'ENDPOINT_RESPONSE_TOO_LARGE',
    });
    expect(incidents.filter(({ moduleId }) => moduleId === 'endpoint:1.0/large')).toEqual([
      {
        moduleId: 'endpoint:1.0/large',
        version: unit.version,
        kind: 'violation',
        limit: 'responseBytes',
        sha256: unit.sha256,
      },
    ]);
  });

  it('passes log lines on, those after the response too', async () => {
    const logs: GuestLogRecord[] = [];
    const unit = get('console.warn("before"); res.end("x"); console.log("after")');
    await sandbox.invoke(invocationRequest(unit, { log: (record) => logs.push(record) }));
    expect(logs).toEqual([
      { level: 'warn', message: 'before' },
      { level: 'info', message: 'after' },
    ]);
  });

  it('performs guest calls, and continues with their results', async () => {
    const calls: GuestCall[] = [];
    const unit = get('const d = await Model("books").find({ a: 1 }); res.json(d)');
    const serve = async (call: GuestCall) => {
      calls.push(call);
      return { ok: true, text: '{"results":["ü"]}' };
    };
    expect(await sandbox.invoke(invocationRequest(unit, { performGuestCall: serve }))).toMatchObject({
      body: '{"results":["ü"]}',
    });
    expect(calls).toEqual([{ name: 'model.find', args: expect.stringContaining('"collection":"books"') }]);
  });

  it('survives guest calls that throw', async () => {
    const unit = get('try { await Model("books").find({}) } catch (e) { res.end(e.code) }');
    const reject = invocationRequest(unit, {
      performGuestCall: async () => Promise.reject(new Error('secret')),
    });
    expect(await sandbox.invoke(reject)).toMatchObject({ body: 'INTERNAL' });
    const huge = invocationRequest(unit, {
      performGuestCall: async () => ({ ok: true, text: 'x'.repeat(11_000_000) }),
    });
    expect(await sandbox.invoke(huge)).toMatchObject({ body: 'RESULT_TOO_LARGE' });
  });

  it('aborts guest calls when the invocation fails, and lets them end when it has responded', async () => {
    const signals: AbortSignal[] = [];
    const serve = (_: GuestCall, signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<never>(() => undefined);
    };
    await sandbox.invoke(
      invocationRequest(get('Model("books").find({}); await null; throw new Error("x")'), {
        performGuestCall: serve,
      }),
    );
    await sandbox.invoke(
      invocationRequest(get('Model("books").find({}); await null; res.end("x")'), {
        performGuestCall: serve,
      }),
    );
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it('lets invocations of one endpoint wait at the same time', async () => {
    const unit = get(
      'await new Promise((go) => setTimeout(go, 1)); await Model("books").find({}); res.end("x")',
    );
    const everyone = Promise.withResolvers<void>();
    let waiting = 0;
    // Answered only when all of them wait for it.
    const serve = async () => {
      waiting += 1;
      if (waiting === 16) everyone.resolve();
      await everyone.promise;
      return { ok: true, text: '{}' };
    };
    const running = Array.from({ length: 16 }, () =>
      sandbox.invoke(invocationRequest(unit, { performGuestCall: serve })),
    );
    expect((await Promise.all(running)).every(({ kind }) => kind === 'response')).toBe(true);
  });

  it('reports its versions, and no isolation level before the self-test has proven one', async () => {
    expect(sandbox.status().level).toBe(0);
    await sandbox.selfTest();
    const { level, versions, layers, hosts, jit } = sandbox.status();
    expect(level).toBeGreaterThan(0);
    expect(jit).toBeNull();
    expect(versions).toEqual({ node: process.versions.node, v8: process.versions.v8, isolatedVm: '7.0.1' });
    expect(layers['emptyEnvironment']).toBe(true);
    expect(hosts.running).toBeGreaterThanOrEqual(2);
    expect(hosts.spare).toBe(1);
  });

  it('reports no isolation level that the self-test has disproved', async () => {
    const layers = { ...ALL_LAYERS, permissions: false };
    const selfTest = async () => ({ state: 'failed', items: [], layers }) as const;
    const { sandbox } = openSandbox({ selfTest });
    await sandbox.inspect('1', 'endpoint');
    await sandbox.selfTest();
    expect(sandbox.status()).toMatchObject({
      level: 0,
      layers: { permissions: false },
      selfTest: { state: 'failed' },
    });
  });

  it('tests hosts with the just-in-time compiler too, where there are any', async () => {
    const asked: boolean[] = [];
    const selfTest = async (jit: boolean) => {
      asked.push(jit);
      return { state: 'passed', items: [], layers: ALL_LAYERS } as const;
    };
    const { sandbox } = openSandbox({ jitDomains: ['fast'], selfTest });
    await sandbox.invoke(
      invocationRequest(
        createModuleVersion('module.exports.get = (req, res) => res.end()', { trustDomain: 'fast' }),
      ),
    );
    await sandbox.selfTest();
    expect(asked).toEqual([false, true]);
    expect(sandbox.status().jit).toEqual({ level: 0, selfTest: { state: 'passed', items: [] } });
  });

  it('uses no host below the minimum isolation level', async () => {
    const { sandbox, incidents } = openSandbox({ jitDomains: ['fast'], minimumLevel: 1 });
    const run = (trustDomain: string) =>
      sandbox.invoke(
        invocationRequest(
          createModuleVersion('module.exports.get = (req, res) => res.end("x")', { trustDomain }),
        ),
      );
    expect(await run('default')).toMatchObject({ body: 'x' });
    expect(await run('fast')).toMatchObject({ kind: 'failure', code: 'SANDBOX_DISABLED' });
    expect(incidents).toContainEqual(
      expect.objectContaining({ kind: 'kill', limit: 'minimumLevel', counts: false }),
    );
    expect(await run('default')).toMatchObject({ body: 'x' });
  });

  it('reports the layers of the self-test when no host may be used', async () => {
    const layers = { limits: true };
    const selfTest = async () => ({ state: 'passed', items: [], layers }) as const;
    const { sandbox } = openSandbox({ selfTest, minimumLevel: 4, now: () => performance.now() });
    await expect(sandbox.inspect('module.exports.get = () => {};', 'endpoint')).rejects.toMatchObject({
      code: 'SANDBOX_DISABLED',
    });
    await sandbox.selfTest();
    expect(sandbox.status().layers).toEqual(layers);
  });

  it('keeps the result of the self-test', async () => {
    const items = [{ attempt: 'read a file outside', held: true, detail: 'refused' }];
    const tested = createTestSandbox({
      selfTest: async () => ({ state: 'passed', items, layers: {} }),
    }).sandbox;
    expect(tested.status().selfTest).toEqual({ state: 'not-run', items: [] });
    const running = tested.selfTest();
    expect(tested.status().selfTest.state).toBe('running');
    expect(await running).toEqual({ state: 'passed', items });
    expect(tested.status().selfTest).toEqual({ state: 'passed', items });
    await tested.close();
  });
});
