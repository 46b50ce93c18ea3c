import { describe, expect, it } from 'vitest';
import { createEndpointCalls } from '../../src/endpoints/call.ts';
import type { EndpointRequest } from '../../src/endpoints/types.ts';
import { AppError, StoreError } from '../../src/errors.ts';
import type { LiveModule } from '../../src/modules/model/types.ts';
import type { GuestLog, InvocationRequest, InvocationResult } from '../../src/sandbox-supervisor/sandbox.ts';
import { liveEndpoint, okResponse } from '../modules/module-versions.ts';

const REQUEST: EndpointRequest = {
  method: 'GET',
  url: '/1.0/report',
  headers: {},
  body: { type: 'text', text: 'the body' },
  client: null,
  ip: '127.0.0.1',
  requestId: 'request-1',
};

interface CallOptions {
  readonly outcome?: InvocationResult;
  readonly live?: Partial<LiveModule>;
  readonly request?: Partial<EndpointRequest>;
  readonly enabled?: boolean;
  readonly isReady?: boolean;
}

/** Accepts and runs one call; a fake sandbox ends it with `outcome`. */
async function play(options: CallOptions = {}) {
  const { outcome = okResponse(), live = {}, enabled = true, isReady = true } = options;
  const request = { ...REQUEST, ...options.request };
  const jobs: InvocationRequest[] = [];
  const logged: [string, string, GuestLog][] = [];
  const asked: unknown[] = [];
  const calls = createEndpointCalls({
    sandbox: {
      run: async (job) => {
        jobs.push(job);
        return outcome;
      },
    },
    modules: { log: (unit, requestId, record) => void logged.push([unit.id, requestId, record]) },
    capabilities: {
      forRequest: ({ unit, client, requestId }) => {
        asked.push([unit.id, client, requestId]);
        return async ({ name }) => ({ ok: true, text: `"${name}"` });
      },
    },
    enabled,
  });
  const match = { endpoint: liveEndpoint('report', live), params: {}, sub: [] };
  const caller = { method: request.method, path: '/1.0/report', client: request.client };
  const answer = await (async () => calls.run(calls.accept(match, caller, isReady), request))().catch(
    (error: unknown) => error,
  );
  const error = answer instanceof AppError || answer instanceof StoreError ? answer : undefined;
  return { answer, error, jobs, logged: logged.map(([, , record]) => record), all: logged, asked };
}

const failure = (code: Extract<InvocationResult, { kind: 'failure' }>['code']): InvocationResult => ({
  kind: 'failure',
  code,
  message: `why ${code}`,
  stack: 'at line 3',
});

describe('a call', () => {
  it('is a job of the unit that is live, and its answer comes back', async () => {
    const { answer, jobs, asked } = await play();
    expect(answer).toMatchObject({ status: 200, body: 'fine' });
    expect(jobs.map(({ unit, body }) => [unit.id, body])).toEqual([['endpoint:1.0/report', 'the body']]);
    expect(asked).toEqual([]);
  });

  it('has the capabilities of its unit and its caller', async () => {
    const client = { id: '1', clientId: 'boss', accessType: 'admin', permissions: null } as const;
    const { jobs, asked } = await play({ request: { client } });
    const { signal } = new AbortController();
    expect(await jobs[0]?.serve({ name: 'model.find', args: '{}' }, signal)).toEqual({
      ok: true,
      text: '"model.find"',
    });
    expect(asked).toEqual([['endpoint:1.0/report', client, 'request-1']]);
  });

  it('logs under its own request', async () => {
    const { jobs, all } = await play();
    jobs[0]?.log({ level: 'info', message: 'hello' });
    expect(all).toEqual([['endpoint:1.0/report', 'request-1', { level: 'info', message: 'hello' }]]);
  });

  it('tells its log of dropped headers, once', async () => {
    const { logged } = await play({
      outcome: okResponse('', [
        ['set-cookie', 'a'],
        ['server', 'b'],
      ]),
    });
    expect(logged).toEqual([
      { level: 'warn', message: 'headers without a grant dropped: set-cookie, server' },
    ]);
  });
});

describe('failures', () => {
  it.each([
    ['ENDPOINT_ERROR', 500],
    ['ENDPOINT_TIMEOUT', 504],
    ['ENDPOINT_MEMORY', 502],
    ['ENDPOINT_CRASHED', 502],
    ['ENDPOINT_RESPONSE_TOO_LARGE', 502],
  ] as const)('%s is %i, and its cause is for the log alone', async (code, status) => {
    const { error, logged } = await play({ outcome: failure(code) });
    expect(error).toMatchObject({ code, status });
    expect(JSON.stringify(error?.items)).not.toMatch(/why|line 3/);
    expect(logged).toEqual([{ level: 'error', message: `why ${code}`, stack: 'at line 3' }]);
  });

  it.each([
    ['ENDPOINT_BUSY', 503],
    ['ENDPOINT_RATE_LIMITED', 429],
    ['SANDBOX_DISABLED', 503],
  ] as const)('%s is %i, to be repeated later, and no fault of the code', async (code, status) => {
    const { error, logged } = await play({ outcome: failure(code) });
    expect(error).toMatchObject({ code, status, headers: { 'Retry-After': expect.stringMatching(/^\d+$/) } });
    expect(logged).toEqual([]);
  });

  it('next() is 404', async () => {
    const { error, logged } = await play({ outcome: { kind: 'next' } });
    expect(error).toMatchObject({ code: 'NOT_FOUND', status: 404 });
    expect(logged).toEqual([]);
  });

  it.each([
    [undefined, 500, 'The endpoint failed'],
    [418, 418, 'The endpoint refused the request'],
    [503, 503, 'The endpoint failed'],
  ])('next(error) with status %s is %i without its text', async (given, status, message) => {
    const error = { message: 'a secret', ...(given === undefined ? {} : { statusCode: given }) };
    const played = await play({ outcome: { kind: 'next', error } });
    expect(played.error).toMatchObject({ code: 'ENDPOINT_ERROR', status, items: [{ message }] });
    expect(played.logged).toEqual([{ level: 'error', message: 'a secret' }]);
  });

  it.each([
    [401, { 'WWW-Authenticate': 'Bearer' }],
    [405, { Allow: 'GET, POST, HEAD, OPTIONS' }],
  ])('next(error) with status %i brings the header that belongs to it', async (statusCode, headers) => {
    const { error } = await play({ outcome: { kind: 'next', error: { message: '', statusCode } } });
    expect(error).toMatchObject({ status: statusCode, headers });
  });

  it('the result of a hook is no answer', async () => {
    const { error } = await play({ outcome: { kind: 'result', json: '{}' } });
    expect(error).toMatchObject({ code: 'ENDPOINT_ERROR' });
  });
});

describe('refusals', () => {
  it.each(['suspended', 'broken', 'pending'] as const)('a %s endpoint does not run', async (state) => {
    const { error, jobs } = await play({ live: { state } });
    expect(error).toMatchObject({
      code: 'ENDPOINT_SUSPENDED',
      status: 503,
      headers: { 'Retry-After': '60' },
    });
    expect(jobs).toEqual([]);
  });

  it('a broken endpoint is no matter of methods', async () => {
    const { error } = await play({ live: { state: 'broken', methods: [] } });
    expect(error?.code).toBe('ENDPOINT_SUSPENDED');
  });

  it('nothing runs while custom code is switched off', async () => {
    const { error, jobs } = await play({ enabled: false, live: { state: 'broken' } });
    expect(error).toMatchObject({ code: 'SANDBOX_DISABLED', status: 503 });
    expect(jobs).toEqual([]);
  });

  it('a method without a handler is not allowed', async () => {
    const { error, jobs } = await play({ request: { method: 'PUT' } });
    expect(error).toMatchObject({
      code: 'METHOD_NOT_ALLOWED',
      headers: { Allow: 'GET, POST, HEAD, OPTIONS' },
    });
    expect(jobs).toEqual([]);
  });
});

describe('an endpoint call without a handler for its method', () => {
  it.each([
    [['GET'], 'GET, HEAD, OPTIONS'],
    [['POST'], 'POST, OPTIONS'],
    [['GET', 'HEAD', 'OPTIONS'], 'GET, HEAD, OPTIONS'],
    [[], 'OPTIONS'],
  ])('is answered with the methods of %j as `Allow: %s`', async (methods, allow) => {
    const { error } = await play({ live: { methods }, request: { method: 'PUT' } });
    expect(error).toMatchObject({ code: 'METHOD_NOT_ALLOWED', headers: { Allow: allow } });
  });
});
