// Before-hooks that write, by `fetch`, the documents of the write that they run for: such a write is somebody else's to the server.
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

const FIELDS = { title: {}, gone: { type: 'Boolean' }, n: { type: 'Number' } };

let app: TestApp;
let workspace: Workspace;
let proxy: Server;
let origin: string;

/** Its address is known before the application starts, whose policy limits name it. */
async function startProxy(target: () => Promise<string>): Promise<Server> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = await fetch(`${await target()}${request.url?.replace('/api-behind-it', '')}`, {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/json' },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    response.writeHead(answer.status).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

beforeAll(async () => {
  let listening: Promise<string> | undefined;
  proxy = await startProxy(() => {
    listening ??= app.listen();
    return listening;
  });
  const host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  origin = `http://${host}`;
  workspace = createWorkspace({}, { sandbox: { policyFile: 'ceilings.json' } });
  const grants = { collections: [], fetch: [{ origin, methods: ['GET', 'PUT', 'POST'], paths: ['/'] }] };
  const ceilings = { version: 1, grants, egress: { allow: [host] } };
  writeFileSync(join(workspace.cwd, 'ceilings.json'), JSON.stringify(ceilings));
  app = await startApp({ workspace });
});
afterAll(async () => {
  await app.close();
  proxy.closeAllConnections();
  proxy.close();
  workspace.remove();
});

/** A hook that sends one request for each document before it is removed. `request` is the code of its arguments. */
async function hook(name: string, request: string) {
  const source = `module.exports = async (obj, type, data) => {
    const send = (method, path, body) => fetch('${origin}' + path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const d of data.deletedDocs) await send(${request});
  };`;
  const headers = { 'content-type': 'text/plain' };
  const posted = await app.inject('POST', `/api/hooks/${name}/config`, { body: source, headers });
  expect([posted.status, posted.text]).toEqual([200, expect.any(String)]);
  const grants = { fetch: [{ origin, methods: ['GET', 'PUT', 'POST'], paths: ['/'] }] };
  const put = await app.inject('PUT', `/api/hooks/${name}/policy`, { body: { version: 1, grants } });
  expect([put.status, put.text]).toEqual([200, expect.any(String)]);
}

async function shelf(name: string, hooks: JsonObject = {}) {
  const path = `/1.0/library/${name}`;
  const settings = { authenticate: false, storeRevisions: true, hooks };
  const { status, text } = await app.inject('POST', `${path}/config`, { body: { fields: FIELDS, settings } });
  expect([status, text]).toEqual([200, expect.any(String)]);
  const { body } = await app.inject('POST', path, { body: [{ title: 'a' }, { title: 'b' }] });
  return { path, ids: body.results.map(({ _id }: JsonObject) => _id) as readonly string[] };
}

const versions = async (path: string) =>
  (await app.inject('GET', `${path}?cache=false`)).body.results.map(({ v }: JsonObject) => v);

const remove = (path: string, query: JsonObject) => app.inject('DELETE', path, { body: { query } });

describe('a hook that writes its own document by fetch', () => {
  it.each([
    ['fetched', "'PUT', '/1.0/library/fetched/' + d._id, { gone: true }"],
    ['behind', "'PUT', '/api-behind-it/1.0/%6cibrary/behind/' + d._id + '?cache=false', { gone: true }"],
    ['queried', "'POST', '/1.0/library/queried', { query: { _id: d._id }, update: { gone: true } }"],
  ])('is named in the refusal of its write, before it has run often: %s', async (name, request) => {
    await hook(name, request);
    const { path } = await shelf(name, { beforeDelete: [name] });
    const { status, headers, body } = await remove(path, { title: 'a' });
    const message = `${name} - writes documents of the write that it runs for by \`fetch\`, as somebody else would: let it use \`Model\``;
    expect([status, headers['retry-after'], body.errors]).toEqual([
      400,
      undefined,
      [{ code: 'API-0002', title: 'Hook Error', details: message, message, hookName: name }],
    ]);
    expect(await versions(path)).toEqual([3, 1]);
  });

  it('has its write made where it sends that request once only', async () => {
    await hook('once', "'PUT', d.gone ? '/1.0/elsewhere' : '/1.0/library/once/' + d._id, { gone: true }");
    const { path } = await shelf('once', { beforeDelete: ['once'] });
    expect((await remove(path, { title: 'a' })).status).toBe(204);
    expect(await versions(path)).toEqual([1]);
  });

  it.each([
    ['reading', "'GET', '/1.0/library/reading/' + d._id"],
    ['others', "'PUT', '/1.0/library/othersTarget', { query: { title: 'a' }, update: { gone: true } }"],
  ])('is none that reads, or writes another collection: %s', async (name, request) => {
    await hook(name, request);
    await shelf(`${name}Target`);
    const { path } = await shelf(name, { beforeDelete: [name] });
    expect((await remove(path, { title: 'a' })).status).toBe(204);
    expect(await versions(path)).toEqual([1]);
  });
});
