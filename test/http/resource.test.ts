import { METHODS } from 'node:http';
import { describe, expect, it } from 'vitest';
import { resource } from '../../src/http/resource.ts';
import { bareServer } from './bare-server.ts';

const { server } = bareServer((bare) => {
  resource(bare, '/both', { GET: async () => 'text', POST: async () => 'posted' });
  resource(bare, '/write', { POST: async () => 'posted' });
});

type Method = 'GET';
const ask = (method: string, url: string) => server.inject({ method: method as Method, url });

describe('an address', () => {
  it('runs its handlers', async () => {
    expect((await ask('GET', '/both')).body).toBe('text');
    expect((await ask('POST', '/both')).body).toBe('posted');
  });

  it('answers HEAD like GET, without the body', async () => {
    const answer = await ask('HEAD', '/both');
    expect([answer.statusCode, answer.body, answer.headers['content-length']]).toEqual([200, '', '4']);
  });

  it('tells its methods', async () => {
    const answer = await ask('OPTIONS', '/both');
    expect([answer.statusCode, answer.headers['allow']]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
  });

  const others = METHODS.filter((method) => !['GET', 'HEAD', 'POST', 'OPTIONS', 'CONNECT'].includes(method));

  it.each(others)('refuses %s with the methods that it takes', async (method) => {
    const answer = await ask(method, '/both');
    expect(answer.statusCode).toBe(405);
    expect(answer.headers['allow']).toBe('GET, HEAD, POST, OPTIONS');
    expect(answer.json()).toMatchObject({ statusCode: 405, success: false });
  });

  it('refuses HEAD where there is no GET', async () => {
    const answer = await ask('HEAD', '/write');
    expect([answer.statusCode, answer.headers['allow']]).toEqual([405, 'POST, OPTIONS']);
  });

  it('refuses a method before the body is looked at', async () => {
    const answer = await server.inject({
      method: 'PUT',
      url: '/both',
      headers: { 'content-type': 'x/y' },
      payload: 'a',
    });
    expect(answer.statusCode).toBe(405);
  });
});
