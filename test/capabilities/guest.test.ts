// What `Model` and `fetch` of the guest send, and what they make of the answers: over a real host process.
import { afterAll, expect, test } from 'vitest';
import { createCapabilities } from '../../src/capabilities/capabilities.ts';
import { createCollectionRegistry } from '../../src/collections/model/collection-registry.ts';
import { toAppError } from '../../src/errors/errors.ts';
import type { ModuleVersion, PolicyGrants } from '../../src/sandbox-supervisor/model/module-version.ts';
import type { GuestCall } from '../../src/sandbox-supervisor/model/sandbox.ts';
import { createPasswordHasher } from '../../src/workers/password-hasher.ts';
import { openLibrary } from '../collections/library-service.ts';
import { createTestSandbox, invocationRequest } from '../helpers/sandbox/sandbox.ts';
import { callerOf } from '../http/fixtures.ts';
import { fetchBench, fetchGrant, serve } from './fetch/servers.ts';
import { ANN, SOURCES } from './model.ts';
import { grantOf, unitWith } from './module.ts';

const library = await openLibrary(SOURCES);
const registry = createCollectionRegistry();
for (const name of Object.keys(SOURCES)) registry.put(library.at(name));

const { sandbox } = createTestSandbox({ maxHosts: 2, busyHosts: 1 });

afterAll(async () => {
  await sandbox.close();
  await library.close();
});

/** What the body of an async handler, with `Model` and `fetch`, answers as JSON. */
async function answerOf(body: string, grants: Partial<PolicyGrants>): Promise<unknown> {
  const unit: ModuleVersion = {
    ...unitWith(grants),
    source: `module.exports.get = async (req, res) => { ${body} }`,
  };
  const { call } = fetchBench(grants.fetch ?? [], {
    allow: (grants.fetch ?? []).map(({ origin }) => origin.slice(7)),
  });
  const capabilities = createCapabilities({
    documents: library.documents,
    registry,
    store: library.store,
    createCaller: callerOf,
    findClient: async () => undefined,
    findCached: async () => ANN,
    toAppError,
    fetch: call,
    hasher: createPasswordHasher(),
    queryMs: 5000,
    now: Date.now,
    log: { error: () => undefined },
  });
  const context = { moduleVersion: unit, client: ANN, requestId: 'r1' };
  const performGuestCall = (call: GuestCall, signal: AbortSignal) =>
    capabilities.perform(call, context, signal);
  const outcome = await sandbox.invoke(invocationRequest(unit, { performGuestCall }));
  if (outcome.kind !== 'response') throw new Error(JSON.stringify(outcome));
  return JSON.parse(String(outcome.body));
}

test('Model writes, reads and counts, with promises and with callbacks', async () => {
  const answer = await answerOf(
    `
    const books = Model('books');
    await books.create([{ title: 'a', pages: 1 }, { title: 'b', pages: 2 }]);
    await books.update({ title: 'a' }, { pages: 3 });
    const found = await new Promise((resolve, reject) =>
      require('@dadi/api').Model('library/books').find({ pages: { $gt: 1 } }, { limit: 5, fields: { title: 1 } },
        (error, result) => error ? reject(error) : resolve(result)));
    const counted = await books.count({ title: 'b' });
    const removed = await books.delete({ title: 'b' });
    const { count } = await books.stats();
    res.json([found.results.map(({ title }) => title), counted.metadata.totalCount, removed, count]);`,
    { collections: [grantOf('1.0/library/books')] },
  );
  expect(answer).toEqual([['a', 'b'], 1, { deleted: 1, deletedCount: 1, totalCount: 1 }, 1]);
});

test('a failure of Model is an error with a code', async () => {
  const answer = await answerOf(
    `
    const codes = [];
    for (const attempt of [
      () => Model('people').find({}),
      () => Model('books').find({ $where: '1' }),
      () => Model('books').create({ pages: 'many' }),
    ]) await attempt().catch((error) => codes.push([error instanceof Error, error.code]));
    res.json(codes);`,
    { collections: [grantOf('1.0/library/books')] },
  );
  expect(answer).toEqual([
    [true, 'NOT_GRANTED'],
    [true, 'FILTER_INVALID'],
    [true, 'DOCUMENT_INVALID'],
  ]);
});

test('fetch sends a request and reads its answer', async () => {
  const server = await serve((request, response) => {
    response.writeHead(201, { 'x-method': `${request.method}`, 'content-type': 'application/json' });
    request.pipe(response);
  });
  const answer = await answerOf(
    `
    const url = '${server.origin}/v1/echo';
    const echoed = await fetch(url, { method: 'POST', body: '{"a":"é"}', headers: { 'x-own': '1' } });
    const bytes = await fetch(url, { method: 'POST', body: new Uint8Array([255, 0]) });
    const refused = await fetch('http://169.254.169.254/').catch((error) => error.code);
    res.json([echoed.status, echoed.ok, echoed.headers.get('X-Method'), await echoed.json(),
      Array.from(new Uint8Array(await bytes.arrayBuffer())), refused]);`,
    { fetch: [fetchGrant(server.origin, { paths: ['/v1/'] })] },
  );
  expect(answer).toEqual([201, true, 'POST', { a: 'é' }, [255, 0], 'FETCH_REFUSED']);
  expect(server.requests[0]!.headers).toMatchObject({
    'x-own': '1',
    'content-type': 'text/plain;charset=UTF-8',
  });
});
