// `next(error)` with an error of `Model`: the endpoint answers as the collection itself would.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';

let server: EndpointServer;
let made = 0;

beforeAll(async () => {
  server = await startEndpointServer();
  const fields = { title: { type: 'String', required: true }, n: { type: 'Number' } };
  await server.call('POST', '/1.0/library/notes/config', { body: { fields, settings: {} } });
});

afterAll(() => server.close());

const POLICY = {
  version: 1,
  grants: { collections: [{ name: '1.0/library/notes', actions: ['find', 'create', 'update'] }] },
};

async function endpoint(handler: string): Promise<string> {
  made += 1;
  return server.endpoint(
    `passes-${made}`,
    `module.exports.post = async (req, res, next) => { ${handler} };`,
    POLICY,
  );
}

const direct = (body: unknown) => server.call('POST', '/1.0/library/notes', { body });
const MANY = Array.from({ length: 150 }, (_, n) =>
  n % 2 === 0 ? { n: 'many' } : { title: 'a', [`x${n}`]: 1 },
);

describe('next(error) with a failed call of Model', () => {
  it.each([
    ['a missing field', { n: 1 }],
    ['several fields', { n: 'many', other: 1 }],
    ['a batch', [{ title: 'a' }, { title: 'b', n: 'many' }]],
    ['a batch with more errors than are listed', MANY],
    ['names that are no plain text', { title: 'a', 'ü"\\': 1 }],
  ])('answers as the collection would: %s', async (_, body) => {
    const path = await endpoint(
      "try { res.json(await Model('notes').create(req.body)); } catch (error) { next(error); }",
    );
    const [through, itself] = [await server.call('POST', path, { body }), await direct(body)];
    expect(itself.status).toBe(400);
    expect([through.status, through.body]).toEqual([itself.status, itself.body]);
  });

  it('answers so where the callback is next itself, and where it is changed on the way', async () => {
    const path = await endpoint(
      "Model('notes').create(req.body, (error) => { if (error) { error.statusCode = 422; error.errors[0].message += '!'; return next(error); } res.end(); });",
    );
    const { status, body } = await server.call('POST', path, { body: {} });
    const { errors } = (await direct({})).body;
    expect([status, body.statusCode, body.errors[0].message]).toEqual([422, 422, `${errors[0].message}!`]);
  });

  it('rejects with an error that has the code, the errors and the status', async () => {
    const path = await endpoint(
      "try { await Model('notes').create({}); } catch (error) { res.json({ isError: error instanceof Error, ...error }); }",
    );
    const { errors } = (await direct({})).body;
    expect((await server.call('POST', path, { body: {} })).body).toEqual({
      isError: true,
      code: 'DOCUMENT_INVALID',
      statusCode: 400,
      errors,
    });
  });

  it('shows no list without a status below 500', async () => {
    for (const members of ['', 'statusCode: 503,', 'statusCode: 399,', "statusCode: '400',"]) {
      const path = await endpoint(
        `next({ ${members} message: 'secret', errors: [{ field: 'secret', message: 'secret' }] });`,
      );
      const { status, text } = await server.call('POST', path, { body: {} });
      expect([members, status >= 500, text.includes('secret')]).toEqual([members, true, false]);
    }
  });

  it('shows nothing of a thrown error, whatever it has', async () => {
    const path = await endpoint("await Model('notes').create({});");
    const { status, body } = await server.call('POST', path, { body: {} });
    expect([status, body.errors]).toEqual([
      500,
      [{ code: 'ENDPOINT_ERROR', message: 'The endpoint failed' }],
    ]);
  });
});
