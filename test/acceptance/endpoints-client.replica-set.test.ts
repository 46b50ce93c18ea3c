// The official client of the dialect, unmodified, with custom endpoints.
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';
import { ADMIN } from '../helpers/server-process/server-process.ts';

// The client has no types, and its answers have every shape.
// biome-ignore lint/suspicious/noExplicitAny: an untyped client under test
type Any = any;

const require = createRequire(import.meta.url);
const ApiWrapper = require('@dadi/api-wrapper') as new (options: object) => Any;

let server: EndpointServer;

beforeAll(async () => {
  // The client keeps tokens in a file beside its code, and would present one of an earlier server.
  rmSync(join(dirname(require.resolve('@dadi/api-wrapper')), '.wallet'), { recursive: true, force: true });
  server = await startEndpointServer();
  await server.endpoint(
    'shelf',
    `const { Model } = require('@dadi/api');
     module.exports.get = (req, res, next) => {
       const filter = JSON.parse(req.query.filter || '{}');
       Model('books').find(filter, { limit: Number(req.query.count || 40) }, (err, found) => err ? next(err) : res.json(found));
     };
     module.exports.post = (req, res, next) =>
       Model('books').create(req.body, (err, created) => err ? next(err) : res.json(created));
     module.exports.delete = (req, res, next) =>
       Model('books').delete(req.body.query, (err) => { if (err) return next(err); res.statusCode = 204; res.end(); });`,
    {
      version: 1,
      grants: { collections: [{ name: '1.0/library/books', actions: ['find', 'create', 'delete'] }] },
    },
  );
});

afterAll(() => server.close());

const shelf = (): Any => {
  const { protocol, hostname, port } = new URL(server.url);
  const uri = `${protocol}//${hostname}`;
  const options = { uri, port: Number(port), credentials: ADMIN, version: '1.0', database: 'library' };
  return new ApiWrapper(options).fromEndpoint('shelf');
};

it('the official client creates, finds and deletes through an endpoint', async () => {
  const created = await shelf().create([{ title: 'Solaris' }, { title: 'Kindred' }]);
  expect(created.results.map(({ title }: Any) => title)).toEqual(['Solaris', 'Kindred']);
  const found = await shelf().whereFieldIsEqualTo('title', 'solaris').find({ extractResults: true });
  expect(found.map(({ title }: Any) => title)).toEqual(['Solaris']);
  expect((await shelf().limitTo(1).find()).metadata.totalCount).toBe(2);
  await shelf().whereFieldIsEqualTo('title', 'Kindred').delete();
  expect((await shelf().find()).metadata.totalCount).toBe(1);
});

it('the official client is told of a failure in the envelope', async () => {
  const failure = await shelf()
    .create({ pages: 'many' })
    .then(
      () => undefined,
      (error: Any) => error,
    );
  expect(failure.statusCode).toBe(400);
  const body = typeof failure.error === 'string' ? JSON.parse(failure.error) : failure.error;
  expect(body).toMatchObject({
    statusCode: 400,
    success: false,
    errors: [
      { code: 'ERROR_REQUIRED', field: 'title' },
      { code: 'ERROR_VALUE_INVALID', field: 'pages' },
    ],
  });
});

it('the official client reads the source of an endpoint as its configuration', async () => {
  expect(await shelf().getConfig()).toContain("Model('books').find");
});
