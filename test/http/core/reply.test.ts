import { describe, expect, it } from 'vitest';
import { JAVASCRIPT_TYPE, JSON_TYPE, sendJson, sendText } from '../../../src/http/core/reply.ts';
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
