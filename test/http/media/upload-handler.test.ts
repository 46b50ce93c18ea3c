import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createUploadHandler } from '../../../src/http/media/upload-handler.ts';
import { makeCollection } from '../../helpers/specifications.ts';
import { bareServer } from '../bare-fastify-server.ts';

const COLLECTION = makeCollection({ a: {} }, { type: 'media' });

function post(
  options: Partial<Parameters<typeof createUploadHandler>[0]> = {},
  headers: Readonly<Record<string, string>> = {},
) {
  const upload = createUploadHandler({
    receive: async () => ['{"a":1}', '{"b":2}'],
    refuseUnsigned: () => undefined,
    enabled: undefined,
    ...options,
  });
  const { server } = bareServer((scope) => {
    scope.post('/', (request, reply) => upload(request, COLLECTION, reply));
  });
  return server.inject({ method: 'POST', url: '/', headers });
}

describe('the answer to an upload', () => {
  it('is 201 with the records', async () => {
    const answer = await post();
    expect([answer.statusCode, answer.body]).toEqual([201, '{"results":[{"a":1},{"b":2}]}']);
    expect(answer.headers['content-type']).toBe('application/json');
  });

  it('is 404 where uploads are switched off', async () => {
    expect((await post({ enabled: false })).statusCode).toBe(404);
  });

  it('is the refusal of what needs a signature, before anything is read', async () => {
    const refuseUnsigned = () => {
      throw new AppError('UPLOAD_TOKEN_MISSING');
    };
    const receive = () => Promise.reject(new Error('was read'));
    expect((await post({ refuseUnsigned, receive })).statusCode).toBe(400);
  });

  it('is 400 for a precondition, which nothing new can meet', async () => {
    expect((await post({}, { 'if-match': '1' })).statusCode).toBe(400);
  });
});
