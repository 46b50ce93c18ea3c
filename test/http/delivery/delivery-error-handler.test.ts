import { expect, test } from 'vitest';
import { AppError, StoreError } from '../../../src/errors/errors.ts';
import {
  createDefinitionErrorHandler,
  createDeliveryErrorHandler,
} from '../../../src/http/delivery/delivery-error-handler.ts';
import { bareServer } from '../bare-fastify-server.ts';

/** What a client gets when a handler throws after it has set the headers of a file. */
async function answerTo(thrown: Error, create = createDeliveryErrorHandler) {
  const log = { error() {}, warn() {}, debug() {}, isLevelEnabled: () => false };
  const { server } = bareServer((bare) => {
    bare.register(async (scope) => {
      scope.setErrorHandler(create(log));
      scope.get('/', async (_request, reply) => {
        reply.headers({ etag: '"x"', 'content-encoding': 'gzip', 'cache-control': 'public' });
        throw thrown;
      });
    });
  });
  const { statusCode, headers, payload } = await server.inject('/');
  return { status: statusCode, headers, body: JSON.parse(payload) };
}

test('an error is a list of texts without headers of the file', async () => {
  const { status, headers, body } = await answerTo(
    new AppError('RENDER_BUSY', { headers: { 'Retry-After': '1' } }),
  );
  expect([status, body]).toEqual([503, { success: false, errors: ['Too many images are being rendered'] }]);
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'retry-after': '1' });
  expect(headers).not.toHaveProperty('etag');
  expect(headers).not.toHaveProperty('content-encoding');
});

test('an unexpected error is sent without detail', async () => {
  const { status, body } = await answerTo(new Error('/secret/path'));
  expect([status, body]).toEqual([500, { success: false, errors: ['Something went wrong'] }]);
  expect((await answerTo(new StoreError('conflict'))).status).toBe(503);
});

test('a malformed definition is `Bad Request`', async () => {
  const broken = new AppError('BAD_REQUEST', { message: 'The body is not valid JSON' });
  expect((await answerTo(broken, createDefinitionErrorHandler)).body).toEqual({
    success: false,
    errors: ['Bad Request'],
  });
  expect((await answerTo(broken)).body).toEqual({ success: false, errors: ['The body is not valid JSON'] });
});
