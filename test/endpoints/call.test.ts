import { describe, expect, it } from 'vitest';
import { createEndpointCalls } from '../../src/endpoints/call.ts';
import type { EndpointRequest } from '../../src/endpoints/messages.ts';
import type { AppError } from '../../src/errors/errors.ts';
import type { LiveModule } from '../../src/modules/model/module-types.ts';
import type {
  GuestLogRecord,
  InvocationRequest,
  InvocationResult,
} from '../../src/sandbox-supervisor/model/sandbox.ts';
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
async function callEndpoint(options: CallOptions = {}) {
  const { outcome = okResponse(), live = {}, enabled = true, isReady = true } = options;
  const request = { ...REQUEST, ...options.request };
  const invocations: InvocationRequest[] = [];
  const logged: [string, string, GuestLogRecord][] = [];
  const contexts: unknown[] = [];
  const calls = createEndpointCalls({
    sandbox: {
      invoke: async (invocation) => {
        invocations.push(invocation);
        return outcome;
      },
    },
    modules: { log: (unit, requestId, record) => void logged.push([unit.id, requestId, record]) },
    capabilities: {
      perform: async ({ name }, { moduleVersion: unit, client, requestId }) => {
        contexts.push([unit.id, client, requestId]);
        return { ok: true, text: `"${name}"` };
      },
    },
    enabled,
  });
  const match = { endpoint: liveEndpoint('report', live), params: {}, sub: [] };
  const caller = { method: request.method, path: '/1.0/report', client: request.client };
  const answer = await (async () => calls.run(calls.accept(match, caller, isReady), request))().catch(
    (error: unknown) => error,
  );
  const error = answer instanceof Error ? (answer as AppError) : undefined;
  return { answer, error, invocations, logged: logged.map(([, , record]) => record), all: logged, contexts };
}

const failure = (code: Extract<InvocationResult, { kind: 'failure' }>['code']): InvocationResult => ({
  kind: 'failure',
  code,
  message: `why ${code}`,
  stack: 'at line 3',
});

describe('an endpoint call', () => {
  it('runs the live module version and returns its response', async () => {
    const { answer, invocations, contexts } = await callEndpoint();
    expect(answer).toMatchObject({ status: 200, body: 'fine' });
    expect(invocations.map(({ moduleVersion: unit, body }) => [unit.id, body])).toEqual([
      ['endpoint:1.0/report', 'the body'],
    ]);
    expect(contexts).toEqual([]);
  });

  it('performs guest calls for its module version and its caller', async () => {
    const client = { id: '1', clientId: 'boss', accessType: 'admin', permissions: null, roles: [] } as const;
    const { invocations, contexts } = await callEndpoint({ request: { client } });
    const { signal } = new AbortController();
    expect(await invocations[0]?.performGuestCall({ name: 'model.find', args: '{}' }, signal)).toEqual({
      ok: true,
      text: '"model.find"',
    });
    expect(contexts).toEqual([['endpoint:1.0/report', client, 'request-1']]);
  });

  it('logs under the id of its request', async () => {
    const { invocations, all } = await callEndpoint();
    invocations[0]?.log({ level: 'info', message: 'hello' });
    expect(all).toEqual([['endpoint:1.0/report', 'request-1', { level: 'info', message: 'hello' }]]);
  });

  it('logs the dropped headers of a response once', async () => {
    const { logged } = await callEndpoint({
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

describe('an endpoint call that does not end in a response', () => {
  it.each([
    ['ENDPOINT_ERROR', 500],
    ['ENDPOINT_TIMEOUT', 504],
    ['ENDPOINT_MEMORY', 502],
    ['ENDPOINT_CRASHED', 502],
    ['ENDPOINT_RESPONSE_TOO_LARGE', 502],
  ] as const)('turns %s into %i and writes its cause to the log alone', async (code, status) => {
    const { error, logged } = await callEndpoint({ outcome: failure(code) });
    expect(error).toMatchObject({ code, status });
    expect(JSON.stringify(error?.items)).not.toMatch(/why|line 3/);
    expect(logged).toEqual([{ level: 'error', message: `why ${code}`, stack: 'at line 3' }]);
  });

  it.each([
    ['ENDPOINT_BUSY', 503],
    ['ENDPOINT_RATE_LIMITED', 429],
    ['SANDBOX_DISABLED', 503],
  ] as const)(
    'turns %s into %i with Retry-After and leaves the log of the module alone',
    async (code, status) => {
      const { error, logged } = await callEndpoint({ outcome: failure(code) });
      expect(error).toMatchObject({
        code,
        status,
        headers: { 'Retry-After': expect.stringMatching(/^\d+$/) },
      });
      expect(logged).toEqual([]);
    },
  );

  it('turns next() into 404', async () => {
    const { error, logged } = await callEndpoint({ outcome: { kind: 'next' } });
    expect(error).toMatchObject({ code: 'NOT_FOUND', status: 404 });
    expect(logged).toEqual([]);
  });

  it.each([
    [undefined, 500, 'The endpoint failed'],
    [418, 418, 'The endpoint refused the request'],
    [503, 503, 'The endpoint failed'],
  ])('turns next(error) with status %s into %i without its text', async (given, status, message) => {
    const error = { message: 'a secret', ...(given === undefined ? {} : { statusCode: given }) };
    const called = await callEndpoint({ outcome: { kind: 'next', error } });
    expect(called.error).toMatchObject({ code: 'ENDPOINT_ERROR', status, items: [{ message }] });
    expect(called.logged).toEqual([{ level: 'error', message: 'a secret' }]);
  });

  it('answers next(error) with the list of errors below 500 and with nothing of it from 500 on', async () => {
    const items = [{ field: 'title', message: 'must be specified', code: 'ERROR_REQUIRED' }];
    const passed = async (statusCode?: number) => {
      const error = { message: 'a secret', items, ...(statusCode === undefined ? {} : { statusCode }) };
      return (await callEndpoint({ outcome: { kind: 'next', error } })).error;
    };
    expect(await passed(400)).toMatchObject({ status: 400, items });
    expect(await passed(401)).toMatchObject({
      status: 401,
      items,
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
    for (const status of [undefined, 503]) {
      expect((await passed(status))?.items).toEqual([
        { message: 'The endpoint failed', code: 'ENDPOINT_ERROR' },
      ]);
    }
  });

  it.each([
    [401, { 'WWW-Authenticate': 'Bearer' }],
    [405, { Allow: 'GET, POST, HEAD, OPTIONS' }],
  ])('adds the header that status %i of next(error) demands', async (statusCode, headers) => {
    const { error } = await callEndpoint({ outcome: { kind: 'next', error: { message: '', statusCode } } });
    expect(error).toMatchObject({ status: statusCode, headers });
  });

  it('turns the result of a hook into ENDPOINT_ERROR', async () => {
    const { error } = await callEndpoint({ outcome: { kind: 'result', json: '{}' } });
    expect(error).toMatchObject({ code: 'ENDPOINT_ERROR' });
  });
});

describe('accepting an endpoint call', () => {
  it('authorizes the caller before it looks at the server and the module', async () => {
    const live = { authenticate: true, state: 'broken' } as const;
    const client = {
      id: '1',
      clientId: 'guest',
      accessType: 'user',
      permissions: { collections: [] },
      roles: [],
    } as const;
    const anonymous = await callEndpoint({ live, isReady: false });
    const denied = await callEndpoint({ live, isReady: false, request: { client } });
    expect([anonymous.error?.code, denied.error?.code]).toEqual(['NO_TOKEN', 'NOT_PERMITTED']);
  });

  it('rejects with `unavailable` until the server is ready, whatever the state of the module', async () => {
    const { error } = await callEndpoint({ isReady: false, live: { state: 'broken' } });
    expect(error).toMatchObject({ name: 'StoreError', reason: 'unavailable' });
  });

  it.each(['suspended', 'broken', 'pending'] as const)(
    'rejects a %s endpoint with ENDPOINT_SUSPENDED',
    async (state) => {
      const { error, invocations } = await callEndpoint({ live: { state } });
      expect(error).toMatchObject({
        code: 'ENDPOINT_SUSPENDED',
        status: 503,
        headers: { 'Retry-After': '60' },
      });
      expect(invocations).toEqual([]);
    },
  );

  it('reports a broken endpoint before a method without a handler', async () => {
    const { error } = await callEndpoint({ live: { state: 'broken', methods: [] } });
    expect(error?.code).toBe('ENDPOINT_SUSPENDED');
  });

  it('rejects every call while the sandbox is disabled', async () => {
    const { error, invocations } = await callEndpoint({ enabled: false, live: { state: 'broken' } });
    expect(error).toMatchObject({ code: 'SANDBOX_DISABLED', status: 503 });
    expect(invocations).toEqual([]);
  });

  it('rejects a method without a handler', async () => {
    const { error, invocations } = await callEndpoint({ request: { method: 'PUT' } });
    expect(error).toMatchObject({
      code: 'METHOD_NOT_ALLOWED',
      headers: { Allow: 'GET, POST, HEAD, OPTIONS' },
    });
    expect(invocations).toEqual([]);
  });
});

describe('an endpoint call without a handler for its method', () => {
  it.each([
    [['GET'], 'GET, HEAD, OPTIONS'],
    [['POST'], 'POST, OPTIONS'],
    [['GET', 'HEAD', 'OPTIONS'], 'GET, HEAD, OPTIONS'],
    [[], 'OPTIONS'],
  ])('is answered with the methods of %j as `Allow: %s`', async (methods, allow) => {
    const { error } = await callEndpoint({ live: { methods }, request: { method: 'PUT' } });
    expect(error).toMatchObject({ code: 'METHOD_NOT_ALLOWED', headers: { Allow: allow } });
  });
});
