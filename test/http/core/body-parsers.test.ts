import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors/errors.ts';
import {
  acceptCodeBodiesOnly,
  acceptTextAsJson,
  acceptUrlEncoded,
  bodyLimit,
  jsonBody,
  jsonObjectBody,
  parseFormBody,
  useJsonParser,
} from '../../../src/http/core/body-parsers.ts';
import { threadCpuMs } from '../../../src/workers/match-patterns.ts';
import { bareServer } from '../bare-fastify-server.ts';

const refusal = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, item: error.items[0] };
  }
  return 'accepted';
};

describe('a URL-encoded form', () => {
  it('is an object of texts', () => {
    expect(parseFormBody(Buffer.from('clientId=a%20b&secret=c%2B+d'))).toEqual({
      clientId: 'a b',
      secret: 'c+ d',
    });
  });

  it('is rejected with a repeated field, or too many', () => {
    expect(refusal(() => parseFormBody(Buffer.from('a=1&a=2')))).toMatchObject({ code: 'BAD_REQUEST' });
    const many = Array.from({ length: 21 }, (_, n) => `f${n}=1`).join('&');
    expect(refusal(() => parseFormBody(Buffer.from(many)))).toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('is counted before it is parsed', () => {
    const pairs = Buffer.from('a&'.repeat(1_000_000));
    const started = threadCpuMs();
    expect(refusal(() => parseFormBody(pairs))).toMatchObject({ code: 'BAD_REQUEST' });
    expect(threadCpuMs() - started).toBeLessThan(100);
  });
});

describe('a server that accepts JSON', () => {
  const { server } = bareServer((bare) => {
    useJsonParser(bare, 100);
    bare.post('/any', async (request) => ({ body: jsonBody(request) }));
    bare.post('/object', async (request) => jsonObjectBody(request));
    bare.register(async (scope) => {
      acceptTextAsJson(scope, { maxValues: 200 });
      scope.post('/plain', async (request) => ({ body: jsonBody(request) }));
    });
    bare.register(async (scope) => {
      acceptUrlEncoded(scope);
      scope.post('/form', async (request) => ({ body: jsonBody(request) }));
    });
  });

  const code = bareServer((bare) => {
    useJsonParser(bare, 100);
    bare.register(async (scope) => {
      acceptCodeBodiesOnly(scope);
      scope.post('/code', async (request) => ({ body: jsonBody(request) }));
    });
  }).server;

  it.each(['text/plain', 'text/javascript', 'application/javascript; charset=utf-8'])(
    'takes %s where code is expected',
    async (type) => {
      const headers = { 'content-type': type };
      const answer = await code.inject({ method: 'POST', url: '/code', headers, payload: '{"a":1}' });
      expect(answer.json()).toEqual({ body: '{"a":1}' });
    },
  );

  it('accepts only code where a scope says so', async () => {
    for (const type of ['application/json', 'text/css', 'application/x-www-form-urlencoded']) {
      const headers = { 'content-type': type };
      const answer = await code.inject({ method: 'POST', url: '/code', headers, payload: '{}' });
      expect(answer.statusCode).toBe(415);
    }
    const headers = { 'content-type': 'text/plain' };
    const payload = Buffer.from([255]);
    expect((await code.inject({ method: 'POST', url: '/code', headers, payload })).statusCode).toBe(400);
  });

  const post = (url: string, headers: Record<string, string>, payload?: string) =>
    server.inject({ method: 'POST', url, headers, ...(payload === undefined ? {} : { payload }) });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF8"'])(
    'takes %s',
    async (type) => {
      const answer = await post('/any', { 'content-type': type }, '{"a":1}');
      expect(answer.json()).toEqual({ body: { a: 1 } });
    },
  );

  it('treats an absent and an empty body as null', async () => {
    expect((await post('/any', {})).json()).toEqual({ body: null });
    expect((await post('/any', { 'content-type': 'application/json' }, '')).json()).toEqual({ body: null });
  });

  it.each([
    ['text/plain', 'no scope takes it'],
    ['application/xml', 'nobody takes it'],
    ['application/json; charset=iso-8859-1', 'of its charset'],
    ['nonsense', 'it is no type'],
    ['', 'it is empty'],
  ])('rejects the type %j: %s', async (type) => {
    const answer = await post('/any', { 'content-type': type }, '{"a":1}');
    expect(answer.statusCode).toBe(415);
    expect(answer.json()).toMatchObject({ statusCode: 415, success: false });
  });

  it.each(['text/plain', 'application/xml', 'multipart/form-data'])(
    'takes no body under the type %s',
    async (type) => {
      expect((await post('/any', { 'content-type': type, 'content-length': '0' })).json()).toEqual({
        body: null,
      });
      expect((await post('/any', { 'content-type': type })).json()).toEqual({ body: null });
      const chunked = { 'content-type': type, 'transfer-encoding': 'chunked' };
      expect((await post('/any', chunked, 'abc')).statusCode).toBe(415);
    },
  );

  it('rejects a body that has no type', async () => {
    expect((await post('/any', {}, '{"a":1}')).statusCode).toBe(415);
  });

  it.each(['gzip', 'br', 'identity, gzip', 'x'])('refuses the encoding %s', async (encoding) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
    expect((await post('/any', headers, '{"a":1}')).statusCode).toBe(415);
  });

  it('accepts the content coding identity', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'Identity' };
    expect((await post('/any', headers, '{"a":1}')).statusCode).toBe(200);
  });

  it('accepts JSON as text/plain where a scope says so', async () => {
    expect((await post('/plain', { 'content-type': 'text/plain' }, '{"a":1}')).json()).toEqual({
      body: { a: 1 },
    });
    expect((await post('/plain', { 'content-type': 'text/plain' }, 'a')).statusCode).toBe(400);
  });

  it('limits the values of JSON by the limit of the scope, whatever its length', async () => {
    const json = { 'content-type': 'application/json' };
    const list = (length: number, space = '') => `${space}[${Array(length).fill(1)}]`;
    const padding = ' '.repeat(20_000);
    for (const space of ['', padding]) {
      expect((await post('/any', json, list(100, space))).statusCode).toBe(200);
      expect((await post('/any', json, list(101, space))).statusCode).toBe(413);
      expect((await post('/plain', json, list(101, space))).statusCode).toBe(200);
      expect((await post('/plain', { 'content-type': 'text/plain' }, list(201, space))).statusCode).toBe(413);
    }
    const broken = `[${padding}1,]`;
    expect((await post('/any', json, broken)).json()).toMatchObject({
      errors: [{ line: 1, column: 20_004, message: expect.stringMatching(/^The body is not valid JSON: /) }],
    });
  });

  it('accepts forms where a scope says so', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await post('/form', headers, 'a=1')).json()).toEqual({ body: { a: '1' } });
    expect((await post('/plain', headers, 'a=1')).statusCode).toBe(415);
  });

  it.each(['[]', 'null', '5', ''])('wants an object where it wants one, not %j', async (payload) => {
    const answer = await post('/object', { 'content-type': 'application/json' }, payload);
    expect(answer.json()).toMatchObject({ errors: [{ message: 'The body must be a JSON object' }] });
  });
});

it('the limit of a body is that of its family of routes, never more than that of the server', () => {
  expect(bodyLimit('token', 10_485_760)).toBe(10_240);
  expect(bodyLimit('specification', 10_485_760)).toBe(1_048_576);
  expect(bodyLimit('specification', 2000)).toBe(2000);
});
