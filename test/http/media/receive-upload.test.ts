import { describe, expect, it } from 'vitest';
import { acceptMultipart } from '../../../src/http/media/multipart-form.ts';
import { createReceiveUpload, createUploadHandler } from '../../../src/http/media/receive-upload.ts';
import type { UploadGrant, UploadRequest } from '../../../src/media/media-service-types.ts';
import { FORM_TYPE, formOf } from '../../helpers/app/media-server.ts';
import { makeCollection } from '../../helpers/fixtures/specifications.ts';
import { bareServer } from '../bare-fastify-server.ts';
import { callerOf } from '../fixtures.ts';

const COLLECTION = makeCollection({ a: {} }, { type: 'media' });
const GRANT: UploadGrant = {
  tokenId: 't',
  expiresAt: 1,
  fileName: 'a',
  mimetype: 'a/b',
};

interface Options {
  readonly media?: object;
  readonly grant?: UploadGrant;
}

/** A server whose media service reads the whole form and answers with what it was given. */
function serverOf({ media = {}, grant }: Options = {}) {
  const asked: UploadRequest[] = [];
  let timed = 0;
  const upload = async (request: UploadRequest) => {
    asked.push(request);
    const results = [];
    for await (const part of request.parts) {
      if (part.kind === 'file') for await (const chunk of part.bytes) results.push(chunk.toString());
    }
    return { results };
  };
  const settings = { maxFileSize: 10, requestSeconds: 600, ...media };
  const deps = {
    config: { media: settings, limits: { formParts: 2, queryMs: 50 } },
    media: { upload },
    now: () => 1000,
  };
  const connection = { disableRequestTimeout: () => (timed += 1) };
  const receive = createReceiveUpload(deps as never, { get: () => connection } as never);
  const { server } = bareServer((scope) => {
    acceptMultipart(scope);
    scope.post('/', async (request) => {
      request.caller = callerOf(null);
      return receive(request, COLLECTION, grant);
    });
  });
  const send = (payload: Buffer) =>
    server.inject({ method: 'POST', url: '/', headers: { 'content-type': FORM_TYPE }, payload });
  return { server, send, asked, timed: () => timed };
}

const form = (body: string, files = 1) => formOf(Array(files).fill({ fileName: 'a', body }));

describe('the receiver of uploads', () => {
  it('passes the parts of the form to the service, and returns its records', async () => {
    const { send, asked, timed } = serverOf({ grant: GRANT });
    const answer = await send(form('hello', 2));
    expect([answer.statusCode, answer.json()]).toEqual([200, ['hello', 'hello']]);
    expect(asked).toMatchObject([
      { collection: COLLECTION, grant: GRANT, context: { caller: { clientId: null } } },
    ]);
    expect(timed()).toBe(1);
  });

  it('enforces the limits of the configuration', async () => {
    const { send } = serverOf();
    expect((await send(form('x'.repeat(11)))).statusCode).toBe(413);
    expect((await send(form('x', 3))).statusCode).toBe(400);
  });

  it('rejects uploads where they are switched off', async () => {
    const { send, asked } = serverOf({ media: { enabled: false } });
    expect([(await send(form('x'))).statusCode, asked]).toEqual([404, []]);
  });

  it('ends an upload that takes longer than `media.requestSeconds`', async () => {
    const { server } = serverOf({ media: { requestSeconds: 0.05 } });
    const url = await server.listen({ port: 0, host: '127.0.0.1' });
    const half = form('hello').subarray(0, 150);
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array(half)),
    });
    const headers = { 'content-type': FORM_TYPE };
    const answer = await fetch(url, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
    expect(answer.status).toBe(408);
    server.server.closeAllConnections();
    await server.close();
  });
});

function post(
  options: Partial<Parameters<typeof createUploadHandler>[0]> = {},
  { headers = {}, signUploads = false } = {},
) {
  const upload = createUploadHandler({
    receive: async () => ['{"a":1}', '{"b":2}'],
    enabled: undefined,
    ...options,
  });
  const collection = makeCollection({ a: {} }, { type: 'media', signUploads });
  const { server } = bareServer((scope) => {
    scope.post('/', (request, reply) => upload(request, collection, reply));
  });
  return server.inject({ method: 'POST', url: '/', headers });
}

describe('the response to an upload', () => {
  it('is 201 with the records', async () => {
    const answer = await post();
    expect([answer.statusCode, answer.body]).toEqual([201, '{"results":[{"a":1},{"b":2}]}']);
    expect(answer.headers['content-type']).toBe('application/json');
  });

  it('is 404 where uploads are switched off', async () => {
    expect((await post({ enabled: false })).statusCode).toBe(404);
  });

  it('is 400 without a token where uploads are signed, before anything is read', async () => {
    const receive = () => Promise.reject(new Error('was read'));
    const answer = await post({ receive }, { signUploads: true });
    expect([answer.statusCode, answer.json().errors[0].code]).toEqual([400, 'UPLOAD_TOKEN_MISSING']);
  });

  it('is 400 for a precondition, which no new file can meet', async () => {
    expect((await post({}, { headers: { 'if-match': '1' } })).statusCode).toBe(400);
  });
});
