import { METHODS } from 'node:http';
import { describe, expect, it } from 'vitest';
import { addAnyMethodRoute, addResource } from '../../../src/http/core/resource.ts';
import { bareServer } from '../bare-fastify-server.ts';

const operations = { GET: null, POST: null, PUT: null, DELETE: null };

const { server } = bareServer((bare) => {
  addResource(bare, '/both', { GET: async () => 'text', POST: async () => 'posted' }, { operations });
  addResource(bare, '/write', { POST: async () => 'posted' }, { operations });
  addResource(
    bare,
    '/state',
    { GET: async () => 'text', PUT: async () => 'put' },
    { operations, handlesPreconditions: true },
  );
  addResource(bare, '/small', { POST: async () => 'posted' }, { operations, bodyLimit: 5 });
  addAnyMethodRoute(bare, '/any', (request, reply) => reply.header('x-method', request.method).send());
});

type Method = 'GET';
const ask = (method: string, url: string) => server.inject({ method: method as Method, url });

describe('a path', () => {
  it('calls its handlers', async () => {
    expect((await ask('GET', '/both')).body).toBe('text');
    expect((await ask('POST', '/both')).body).toBe('posted');
  });

  it('answers HEAD like GET, without the body', async () => {
    const answer = await ask('HEAD', '/both');
    expect([answer.statusCode, answer.body, answer.headers['content-length']]).toEqual([200, '', '4']);
  });

  it('rejects a query string that does not decode, also where it uses none', async () => {
    for (const query of ['x=%', '%ff', 'count=1&count=2']) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        const answer = await ask(method, `/both?${query}`);
        expect([query, method, answer.statusCode]).toEqual([query, method, 400]);
      }
      expect((await ask('PUT', `/both?${query}`)).statusCode).toBe(405);
    }
    expect((await ask('GET', '/both?x=1&x=2&y=%20')).statusCode).toBe(200);
  });

  it('lists its methods', async () => {
    const answer = await ask('OPTIONS', '/both');
    expect([answer.statusCode, answer.headers['allow']]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
  });

  const others = METHODS.filter((method) => !['GET', 'HEAD', 'POST', 'OPTIONS', 'CONNECT'].includes(method));

  it.each(others)('rejects %s with its methods', async (method) => {
    const answer = await ask(method, '/both');
    expect(answer.statusCode).toBe(405);
    expect(answer.headers['allow']).toBe('GET, HEAD, POST, OPTIONS');
    expect(answer.json()).toMatchObject({ statusCode: 405, success: false });
  });

  it('rejects HEAD without GET', async () => {
    const answer = await ask('HEAD', '/write');
    expect([answer.statusCode, answer.headers['allow']]).toEqual([405, 'POST, OPTIONS']);
  });

  it('rejects conditional writes, unless its handlers evaluate conditions', async () => {
    const headers = { 'if-match': '"1"' };
    const send = async (method: string, url: string) =>
      (await server.inject({ method: method as Method, url, headers })).statusCode;
    expect(await send('POST', '/both')).toBe(400);
    expect(await send('GET', '/both')).toBe(200);
    expect(await send('PUT', '/state')).toBe(200);
    expect(await send('DELETE', '/both')).toBe(405);
  });

  it('rejects a method before the body is read', async () => {
    const answer = await server.inject({
      method: 'PUT',
      url: '/both',
      headers: { 'content-type': 'x/y' },
      payload: 'a',
    });
    expect(answer.statusCode).toBe(405);
  });
});

describe('a path with a handler that is not described', () => {
  it('cannot be registered', () => {
    const register = () =>
      bareServer((bare) => addResource(bare, '/path', { GET: async () => 'text' }, { operations: {} }));
    expect(register).toThrow('GET /path is not described');
  });
});

describe('a path with a body limit', () => {
  it.each([
    [5, 200],
    [6, 413],
  ])('answers a body of %i bytes with %i', async (length, status) => {
    const headers = { 'content-type': 'text/plain' };
    const payload = 'x'.repeat(length);
    expect((await server.inject({ method: 'POST', url: '/small', headers, payload })).statusCode).toBe(
      status,
    );
  });
});

describe('a path of any method', () => {
  it.each(METHODS.filter((method) => method !== 'CONNECT' && method !== 'QUERY'))(
    'answers %s',
    async (method) => {
      const answer = await ask(method, '/any');
      expect([answer.statusCode, answer.headers['x-method']]).toEqual([200, method]);
    },
  );
});
