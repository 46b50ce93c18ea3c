import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/auth/clients/client.ts';
import { ERRORS } from '../../../src/errors/error-catalogue.ts';
import { AppError, StoreError } from '../../../src/errors/errors.ts';
import { useJsonParser } from '../../../src/http/core/body-parsers.ts';
import { JAVASCRIPT_TYPE, JSON_TYPE, sendJson, sendText } from '../../../src/http/core/reply.ts';
import { bareServer } from '../bare-fastify-server.ts';
import { USER_CLIENT } from '../fixtures.ts';

const { server } = bareServer((bare) => {
  bare.get('/json', async (_request, reply) => sendText(reply, JSON_TYPE, '{"a":"ü"}'));
  bare.get('/script', async (_request, reply) => sendText(reply, JAVASCRIPT_TYPE, 'f({});'));
  bare.get('/value', async (_request, reply) => sendJson(reply, { a: ['ü'] }, 201));
});

describe('a response', () => {
  it.each([
    ['/json', 200, 'application/json', '{"a":"ü"}'],
    ['/script', 200, 'text/javascript; charset=utf-8', 'f({});'],
    ['/value', 201, 'application/json', '{"a":["ü"]}'],
  ])('of %s leaves as it is', async (url, status, type, body) => {
    const answer = await server.inject({ url });
    expect([answer.statusCode, answer.headers['content-type'], answer.body]).toEqual([status, type, body]);
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(body)));
  });
});

async function thrown(error: unknown, client: Client | null = null) {
  const { server, records } = bareServer((bare) => {
    bare.get('/a/b', async (request) => {
      request.client = client;
      throw error;
    });
  });
  const answer = await server.inject({ url: '/a/b?secret=1' });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: answer.json(),
    text: answer.body,
    records,
  };
}

describe('the error handler', () => {
  it('puts the items of an AppError into the envelope, with its headers and members', async () => {
    const items = [{ field: 'a', message: 'm', code: 'C', index: 1 }];
    const { status, headers, body, records } = await thrown(
      new AppError('DOCUMENT_INVALID', { items, headers: { 'X-A': 'b' }, body: { more: 1 } }),
    );
    expect(status).toBe(400);
    expect(headers['x-a']).toBe('b');
    expect(headers['content-type']).toBe('application/json');
    expect(body).toEqual({ statusCode: 400, success: false, errors: items, more: 1 });
    expect(records).toEqual([]);
  });

  it.each([
    ['unavailable', 503, 'The database is unavailable'],
    ['damaged', 503, 'The database is unavailable'],
    ['timeout', 503, 'The database took longer than `limits.queryMs` allows'],
    ['busy', 503, 'Too many reads or writes are waiting'],
    ['conflict', 503, 'Too many reads or writes are waiting'],
    ['too-large', 413, 'The request body is too large'],
    ['filter-too-large', 413, 'The filter is too large for the database'],
    ['parallel-arrays', 400, 'The request cannot be understood'],
  ] as const)('maps the store error %s to %i', async (reason, status, message) => {
    const {
      status: got,
      headers,
      body,
    } = await thrown(new StoreError(reason, { cause: new Error('driver') }));
    expect(got).toBe(status);
    expect(body.errors[0].message).toBe(message);
    expect(headers['retry-after']).toBe(status === 503 ? '2' : undefined);
    if (status === 503) expect(body.errors[0].code).toBe('API-0004');
  });

  it('names the media store, not the database, where that failed', async () => {
    const { status, headers, body } = await thrown(new StoreError('unavailable', { store: 'media' }));
    expect([status, headers['retry-after']]).toEqual([503, '2']);
    expect(body.errors).toEqual([
      {
        message: 'The media store is unavailable',
        code: 'API-0004',
        title: 'The media store is unavailable',
      },
    ]);
  });

  it('names the fields of a duplicate', async () => {
    const { status, body } = await thrown(new StoreError('duplicate', { fields: ['a', 'b'], index: 2 }));
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      { field: 'a', message: 'must be unique', code: 'ERROR_UNIQUE', index: 2 },
      { field: 'b', message: 'must be unique', code: 'ERROR_UNIQUE', index: 2 },
    ]);
  });

  it('names the fields of parallel arrays', async () => {
    const { status, body } = await thrown(new StoreError('parallel-arrays', { fields: ['a', 'b'] }));
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ field: 'a' }, { field: 'b' }]);
  });

  it('keeps the Retry-After of an error', async () => {
    const { headers } = await thrown(new AppError('STORE_UNAVAILABLE', { headers: { 'Retry-After': '9' } }));
    expect(headers['retry-after']).toBe('9');
  });

  it.each(['ENDPOINT_SUSPENDED', 'ENDPOINT_BUSY', 'SANDBOX_DISABLED'] as const)(
    'leaves %s its own code, and the log its silence',
    async (code) => {
      const { status, headers, body, records } = await thrown(new AppError(code));
      const retryAfter = String(ERRORS[code].retryAfter);
      expect([status, headers['retry-after'], body.errors[0].code]).toEqual([503, retryAfter, code]);
      expect(body.errors[0].title).toBeUndefined();
      expect(records.map(({ level }) => level)).toEqual(['debug']);
    },
  );

  it('sends no detail of a failed endpoint', async () => {
    const { status, body, records } = await thrown(new AppError('ENDPOINT_ERROR', { cause: 'secret' }));
    expect(status).toBe(500);
    expect(body.errors).toEqual([{ message: 'The endpoint failed', code: 'ENDPOINT_ERROR' }]);
    expect(JSON.stringify(records)).not.toContain('secret');
  });

  it('adds the challenge to NOT_PERMITTED of the domain', async () => {
    const refusal = new AppError('NOT_PERMITTED', { field: 'author' });
    const { status, headers } = await thrown(refusal, USER_CLIENT);
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="/a/b"']);
    const anonymous = await thrown(refusal);
    expect([anonymous.status, anonymous.headers['www-authenticate']]).toEqual([
      401,
      'Bearer, error="no_token", error_description="No access token supplied"',
    ]);
  });

  it('adds empty results to DOCUMENT_NOT_FOUND', async () => {
    const { body } = await thrown(new AppError('DOCUMENT_NOT_FOUND'));
    expect(body).toMatchObject({ statusCode: 404, success: false, results: [], metadata: { totalCount: 0 } });
  });

  it.each([
    new TypeError('secret /srv/x.ts'),
    Object.assign(new Error('secret'), { statusCode: 418 }),
    Object.assign(new Error('secret'), { code: 'SQLITE_BUSY', statusCode: 400 }),
    'secret',
    undefined,
    null,
  ])('sends no detail of %s, and logs it', async (error) => {
    const { status, text, body, records } = await thrown(error);
    expect(status).toBe(500);
    expect(text).not.toContain('secret');
    expect(body.errors).toEqual([{ message: 'Something went wrong', code: 'INTERNAL' }]);
    expect(records).toMatchObject([
      { level: 'error', fields: { requestId: 'request-1', method: 'GET', path: '/a/b' } },
    ]);
  });
});

describe('an outage of the database or of an identity provider', () => {
  const levelsOf = async (reason: 'unavailable' | 'damaged' | 'timeout' | 'issuer') => {
    const { server, records } = bareServer((bare) => {
      bare.get('/a', async () => {
        throw reason === 'issuer' ? new AppError('ISSUER_UNAVAILABLE') : new StoreError(reason);
      });
    });
    for (let n = 0; n < 5; n += 1) await server.inject('/a');
    return records.map(({ level }) => level);
  };

  it('is logged once per interval', async () => {
    expect(await levelsOf('unavailable')).toEqual(['warn', 'debug', 'debug', 'debug', 'debug']);
    expect(await levelsOf('damaged')).toEqual(['warn', 'debug', 'debug', 'debug', 'debug']);
    expect(await levelsOf('issuer')).toEqual(['warn', 'debug', 'debug', 'debug', 'debug']);
  });

  it('is not the cause of a query timeout, which is logged each time', async () => {
    expect(await levelsOf('timeout')).toEqual(Array(5).fill('warn'));
  });
});

describe('a client that goes away while it sends a body', () => {
  it('is not logged as an error', async () => {
    const { server, records } = bareServer((bare) => {
      useJsonParser(bare, 100);
      bare.post('/a', async () => 'ok');
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    const answered = new Promise((resolve) => {
      server.server.once('request', (_request, response) => response.once('close', resolve));
    });
    const head = 'POST /a HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n';
    const socket = connect(port, '127.0.0.1', () => socket.write(`${head}{"a"`, () => socket.destroy()));
    await answered;
    await server.close();
    expect(records).toEqual([]);
  });

  it('does not hide an error after the whole body has arrived', async () => {
    const { promise: gone, resolve: goAway } = Promise.withResolvers<void>();
    const { server, records } = bareServer((bare) => {
      bare.get('/a', async () => {
        socket.destroy();
        await gone;
        throw new Error('a fault');
      });
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    server.server.once('request', (_request, response) => response.once('close', goAway));
    const socket = connect(port, '127.0.0.1', () => socket.write('GET /a HTTP/1.1\r\nHost: a\r\n\r\n'));
    await expect.poll(() => records.map(({ message }) => message)).toEqual(['request failed']);
    await server.close();
  });
});

describe('an error of the framework', () => {
  it.each([
    ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['FST_ERR_CTP_BODY_TOO_LARGE', 413, 'PAYLOAD_TOO_LARGE'],
    ['FST_ERR_BAD_URL', 400, 'BAD_REQUEST'],
    ['FST_ERR_SOMETHING_NEW', 400, 'BAD_REQUEST'],
    ['FST_ERR_SOMETHING_NEW', 500, 'INTERNAL'],
    ['OTHER', 400, 'INTERNAL'],
  ])('%s with %i is sent as %s', async (code, statusCode, expected) => {
    const { body } = await thrown(Object.assign(new Error('x'), { code, statusCode }));
    expect(body.errors[0].code).toBe(expected);
  });
});
