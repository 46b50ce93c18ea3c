import { describe, expect, it } from 'vitest';
import {
  formatPage,
  formatResults,
  JAVASCRIPT_TYPE,
  JSON_TYPE,
  sendJson,
  sendText,
} from '../../../src/http/core/reply.ts';
import { bareServer } from '../bare-fastify-server.ts';

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

describe('a page as JSON text', () => {
  const metadata = { page: 1, offset: 0, totalCount: 2, totalPages: 1 };

  it('puts documents together as they are', () => {
    const text = formatPage({ results: ['{"a":"ü"}', '{"b":1}'], metadata });
    expect(JSON.parse(String(text))).toEqual({ results: [{ a: 'ü' }, { b: 1 }], metadata });
    expect(text).toContain('[{"a":"ü"},{"b":1}]');
  });

  it('stays in pieces when it is long', () => {
    const long = `{"a":"${'x'.repeat(200_000)}"}`;
    const pieces = formatPage({ results: [long, '{}', long], metadata });
    expect(pieces).toHaveLength(7);
    const text = [...pieces].join('');
    expect(JSON.parse(text)).toEqual({ results: [JSON.parse(long), {}, JSON.parse(long)], metadata });
    expect([...formatResults([long, long])].join('')).toBe(`{"results":[${long},${long}]}`);
  });

  it('may be empty', () => {
    expect(JSON.parse(String(formatPage({ results: [], metadata })))).toEqual({ results: [], metadata });
  });
});
