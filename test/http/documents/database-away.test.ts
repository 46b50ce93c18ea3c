// A server whose database goes while it runs: 503 where it is needed, nothing half done, and all is well when it is back.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FailingStoreApp, startFailingStoreApp } from '../../helpers/app/failing-store-app.ts';
import { BOOKS as BOOKS_SPEC, LIBRARY } from '../../helpers/fixtures/library.ts';
import { ADMIN } from '../../helpers/server-process/server-process.ts';
import { pollWithin } from '../../helpers/server-process/timing.ts';

const BOOKS = '/1.0/library/books';
const REASONS = ['unavailable', 'timeout', 'busy'] as const;
const HELLO = `module.exports.get = (req, res) => res.end('hello');`;
const SHOUT = `module.exports = (obj) => ({ ...obj, title: obj.title.toUpperCase() });`;
const SOON_MS = 10_000;

const fileOf = ({ workspace }: FailingStoreApp, path: string) => join(workspace.path, path);
const books = (app: FailingStoreApp) => fileOf(app, 'collections/1.0/library/collection.books.json');

function expectAway({ status, headers, body }: Awaited<ReturnType<FailingStoreApp['ask']>>, what: string) {
  expect(status, what).toBe(503);
  expect(headers['retry-after'], what).toMatch(/^[1-9]\d*$/);
  expect(body.errors, what).toEqual([expect.objectContaining({ code: 'API-0004' })]);
  expect(JSON.stringify(body), what).not.toMatch(/ECONNREFUSED|10\.0\.0\.7|store:/);
}

async function running({ specs = LIBRARY, now = Date.now } = {}) {
  const app = await startFailingStoreApp({ failing: false, specs, now });
  const token = await app.login();
  const { body } = await app.ask('POST', BOOKS, { token, body: { title: 'Dune' } });
  return { ...app, token, id: body.results[0]._id as string };
}

describe('while the database is away', () => {
  it.each(REASONS)('whatever needs it is 503, and greeting goes on: %s', async (reason) => {
    const app = await running();
    const { ask, store, token, id } = app;
    store.fail(reason);
    const body = { title: 'x' };
    const query = { query: { title: 'x' }, update: { title: 'y' } };
    const requests = [
      ['GET', '/health', undefined],
      ['POST', '/token', ADMIN],
      ['GET', BOOKS, undefined],
      ['GET', `${BOOKS}/${id}`, undefined],
      ['GET', `${BOOKS}/${id}/history`, undefined],
      ['GET', `${BOOKS}/count`, undefined],
      ['GET', `${BOOKS}/stats`, undefined],
      ['POST', BOOKS, body],
      ['PUT', BOOKS, query],
      ['PUT', `${BOOKS}/${id}`, body],
      ['DELETE', `${BOOKS}/${id}`, undefined],
      ['DELETE', BOOKS, { query: { title: 'x' } }],
      ['GET', '/api/clients', undefined],
      ['POST', '/api/clients', { clientId: 'new' }],
      ['GET', '/api/audit', undefined],
    ] as const;
    for (const [method, path, sent] of requests) {
      const answer = await ask(method, path, { token, ...(sent === undefined ? {} : { body: sent }) });
      expectAway(answer, `${method} ${path}`);
    }
    expect((await ask('GET', '/hello', { token })).status).toBe(200);
    store.recover();
    expect((await ask('GET', `${BOOKS}/${id}`, { token })).body.results[0].title).toBe('Dune');
    expect((await ask('GET', '/api/clients/new', { token })).status).toBe(404);
  });

  it('a specification is neither posted nor removed', async () => {
    const app = await running();
    const { ask, store, token } = app;
    const before = readFileSync(books(app), 'utf8');
    store.fail();
    const body = { fields: { other: {} }, settings: {} };
    expectAway(await ask('POST', `${BOOKS}/config`, { token, body }), 'replace');
    expectAway(await ask('POST', '/1.0/library/plants/config', { token, body }), 'create');
    expectAway(await ask('DELETE', `${BOOKS}/config`, { token }), 'remove');
    expect(readFileSync(books(app), 'utf8')).toBe(before);
    expect(existsSync(fileOf(app, 'collections/1.0/library/collection.plants.json'))).toBe(false);
    store.recover();
    expect((await ask('GET', `${BOOKS}/config`, { token })).body.fields).toHaveProperty('title');
    expect((await ask('GET', '/1.0/library/plants', { token })).status).toBe(404);
    expect((await ask('GET', BOOKS, { token })).body.results).toHaveLength(1);
  });

  it('neither the configuration nor code changes', async () => {
    const app = await running();
    const { ask, store, token } = app;
    const text = { token, headers: { 'content-type': 'text/plain' } };
    expect((await ask('POST', '/1.0/hello/config', { ...text, body: HELLO })).status).toBe(200);
    const code = fileOf(app, 'endpoints/1.0/endpoint.hello.js');
    const config = readFileSync(fileOf(app, 'config.json'), 'utf8');
    store.fail();
    expectAway(await ask('POST', '/1.0/hello/config', { ...text, body: `${HELLO}//2` }), 'replace');
    expectAway(await ask('POST', '/1.0/other/config', { ...text, body: HELLO }), 'create');
    expectAway(await ask('DELETE', '/1.0/hello/config', { token }), 'remove');
    expectAway(await ask('PUT', '/1.0/hello/policy', { token, body: { limits: { cpuMs: 77 } } }), 'policy');
    expectAway(await ask('POST', '/api/config', { token, body: { cache: { ttl: 9 } } }), 'config');
    expect(readFileSync(code, 'utf8')).toBe(HELLO);
    expect(existsSync(fileOf(app, 'endpoints/1.0/endpoint.other.js'))).toBe(false);
    expect(existsSync(fileOf(app, 'endpoints/1.0/endpoint.hello.policy.json'))).toBe(false);
    expect(readFileSync(fileOf(app, 'config.json'), 'utf8')).toBe(config);
    store.recover();
    expect(await ask('GET', '/1.0/hello', { token })).toMatchObject({ status: 200, text: 'hello' });
    expect((await ask('GET', '/1.0/other', { token })).status).toBe(404);
  });

  it('a removal of code that cannot be stored leaves its files', async () => {
    const app = await running();
    const { ask, store, token } = app;
    const text = { token, headers: { 'content-type': 'text/plain' } };
    await ask('POST', '/1.0/hello/config', { ...text, body: HELLO });
    await ask('PUT', '/1.0/hello/policy', { token, body: { limits: { cpuMs: 77 } } });
    const policy = readFileSync(fileOf(app, 'endpoints/1.0/endpoint.hello.policy.json'), 'utf8');
    store.fail('unavailable', ['commit']);
    expectAway(await ask('DELETE', '/1.0/hello/config', { token }), 'remove');
    store.recover();
    expect(readFileSync(fileOf(app, 'endpoints/1.0/endpoint.hello.js'), 'utf8')).toBe(HELLO);
    expect(readFileSync(fileOf(app, 'endpoints/1.0/endpoint.hello.policy.json'), 'utf8')).toBe(policy);
    expect((await ask('GET', '/1.0/hello/policy', { token })).body.limits).toEqual({ cpuMs: 77 });
  });

  it('what was edited by hand comes into force when it is back', async () => {
    const app = await running();
    const { ask, store, token, log } = app;
    store.fail();
    const edited = { ...BOOKS_SPEC, fields: { title: { type: 'String' }, byHand: {} } };
    writeFileSync(books(app), JSON.stringify(edited));
    const logged = () =>
      log.filter((line) => line.includes('specification edit waits for the database')).length;
    await pollWithin(SOON_MS, () => expect(logged()).toBe(1));
    const asked = store.failed.length;
    await pollWithin(SOON_MS, () => expect(store.failed.length).toBeGreaterThan(asked));
    expect(logged()).toBe(1);
    store.recover();
    const fields = async () => Object.keys((await ask('GET', `${BOOKS}/config`, { token })).body.fields);
    await pollWithin(SOON_MS, async () => expect(await fields()).toContain('byHand'));
  });

  it('so does code, and code that goes is gone', async () => {
    const app = await running();
    const { ask, store, token, log } = app;
    const text = { token, headers: { 'content-type': 'text/plain' } };
    for (const name of ['stays', 'goes']) await ask('POST', `/1.0/${name}/config`, { ...text, body: HELLO });
    store.fail();
    writeFileSync(fileOf(app, 'endpoints/1.0/endpoint.stays.js'), HELLO.replace('hello', 'by hand'));
    rmSync(fileOf(app, 'endpoints/1.0/endpoint.goes.js'));
    const failed = (name: string) =>
      log.some((line) => line.includes(`endpoint.${name}.js`) && line.includes('waits for the database'));
    await pollWithin(SOON_MS, () => expect([failed('stays'), failed('goes')]).toEqual([true, true]));
    store.recover();
    await pollWithin(SOON_MS, async () => {
      expect((await ask('GET', '/1.0/stays', { token })).text).toBe('by hand');
      expect((await ask('GET', '/1.0/goes', { token })).status).toBe(404);
    });
  });
});

describe('the time that the database has', () => {
  it('is bounded for every operation of every request', async () => {
    const app = await running();
    const { ask, store, token, id } = app;
    const text = { token, headers: { 'content-type': 'text/plain' } };
    const author = { name: 'Herbert' };
    await ask('POST', `${BOOKS}?compose=true`, { token, body: { title: 'x', author } });
    await ask('PUT', BOOKS, { token, body: { query: { title: 'x' }, update: { pages: 3 } } });
    await ask('GET', `${BOOKS}?compose=true&includeHistory=true`, { token });
    await ask('GET', `${BOOKS}?filter=${encodeURIComponent('{"author.name":"Herbert"}')}`, { token });
    for (const path of ['?fields=%7B%22title%22%3A1%7D', `/${id}`, `/${id}/history`, '/count', '/stats'])
      await ask('GET', `${BOOKS}${path}`, { token });
    await ask('DELETE', BOOKS, { token, body: { query: { title: 'x' } } });
    const settings = { storeRevisions: true, revisionCollection: 'past' };
    await ask('POST', '/1.0/library/plants/config', { token, body: { fields: { a: {} }, settings } });
    await ask('POST', '/1.0/hello/config', { ...text, body: HELLO });
    await ask('GET', '/1.0/hello/versions', { token });
    await ask('DELETE', '/1.0/hello/config', { token });
    await ask('GET', '/api/audit', { token });
    const unbounded = store.asked.filter(({ deadline }) => deadline === undefined);
    expect(unbounded).toEqual([]);
    expect(new Set(store.asked.map(({ operation }) => operation))).toEqual(
      new Set(['find', 'findText', 'findPage', 'findByIds', 'count', 'commit', 'stats']),
    );
  });

  it.each([
    ['POST', '/api/clients', { clientId: 'new' }],
    ['PUT', '/api/clients/old', { accessType: 'admin' }],
    ['PUT', '/api/clients/old/secret', {}],
    ['DELETE', '/api/clients/old', undefined],
    ['GET', '/api/clients', undefined],
    ['PUT', BOOKS, { query: {}, all: true, update: { pages: 3 } }],
  ] as const)('is one for all operations of %s %s', async (method, path, body) => {
    // Each look at the clock is another millisecond: two deadlines differ, and no cached client expires.
    let clock = Date.now();
    const now = () => ++clock;
    const { ask, store, token } = await running({ now });
    await ask('POST', '/api/clients', { token, body: { clientId: 'old', accessType: 'admin' } });
    // Looking up the caller comes before the body, and counts by itself.
    await ask('GET', '/api/status', { token });
    store.asked.length = 0;
    const answer = await ask(method, path, { token, ...(body === undefined ? {} : { body }) });
    expect(answer.status).toBeLessThan(300);
    expect(store.asked.length).toBeGreaterThan(0);
    expect(new Set(store.asked.map(({ deadline }) => deadline)).size).toBe(1);
  });
});

describe('code that lies in files before the database comes', () => {
  it('is in force afterwards, and no write passes by its hooks meanwhile', async () => {
    const hooked = {
      fields: { title: {} },
      settings: { authenticate: false, hooks: { beforeCreate: ['shout'] } },
    };
    const first = await startFailingStoreApp({ failing: false, specs: { '1.0/library/books': hooked } });
    const text = { token: await first.login(), headers: { 'content-type': 'text/plain' } };
    await first.ask('POST', '/api/hooks/shout/config', { ...text, body: SHOUT });
    await first.ask('POST', '/1.0/hello/config', {
      ...text,
      body: `${HELLO}\nmodule.exports.model = { settings: { authenticate: false } };`,
    });
    await first.close();
    const { app, store, ask } = await startFailingStoreApp({ failing: true, earlier: first });
    expectAway(await ask('POST', BOOKS, { body: { title: 'dune' } }), 'write');
    expectAway(await ask('GET', '/1.0/hello'), 'call');
    store.recover();
    await app.started;
    expect((await ask('POST', BOOKS, { body: { title: 'dune' } })).body.results[0].title).toBe('DUNE');
    expect((await ask('GET', '/1.0/hello')).text).toBe('hello');
  });
});
