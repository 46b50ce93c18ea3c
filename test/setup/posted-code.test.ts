// Endpoints and hooks wired into the whole application, on real hosts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { LIBRARY } from '../helpers/fixtures/library.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

const HELLO = "module.exports.get = (req, res) => res.json({ hello: req.query.name || 'world' });";
const TEXT = { 'content-type': 'text/plain' };

let app: TestApp | undefined;

afterEach(async () => {
  await app?.close();
  app = undefined;
});

function withEndpoint(source: string): Workspace {
  const workspace = createWorkspace(LIBRARY, {});
  const folder = join(workspace.cwd, 'workspace', 'endpoints', '1.0');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'endpoint.hello.js'), source);
  return workspace;
}

describe('posted code', () => {
  it('answers as soon as it is posted, and is listed, read and removed', async () => {
    app = await startApp();
    const posted = await app.inject('POST', '/1.0/hello/config', { body: HELLO, headers: TEXT });
    expect(posted).toMatchObject({ status: 200, body: { message: 'Endpoint "1.0:hello" created' } });
    expect(await app.inject('GET', '/1.0/hello?name=Ursula')).toMatchObject({
      status: 200,
      body: { hello: 'Ursula' },
    });
    expect((await app.inject('GET', '/1.0/hello/config')).text).toBe(HELLO);
    expect((await app.inject('DELETE', '/1.0/hello/config')).status).toBeLessThan(300);
    expect((await app.inject('GET', '/1.0/hello')).status).toBe(404);
  });

  it('is found as a file, and reads a collection that its policy grants, with the rights of the caller', async () => {
    const workspace = withEndpoint(
      "module.exports.get = async (req, res) => res.json(await Model('books').find({}, { fields: { title: 1 } }));",
    );
    app = await startApp({ workspace });
    await app.inject('POST', '/1.0/library/books', { body: { title: 'Kindred' } });
    const grants = { collections: [{ name: '1.0/library/books', actions: ['find'], as: 'caller' }] };
    const put = await app.inject('PUT', '/1.0/hello/policy', { body: { version: 1, grants } });
    expect(put.status).toBe(200);
    const answer = await app.inject('GET', '/1.0/hello');
    expect(answer).toMatchObject({ status: 200, body: { results: [{ title: 'Kindred' }] } });
    await app.close();
    app = undefined;
    workspace.remove();
  });

  it('takes no name of a database folder of its version, nor the reverse', async () => {
    app = await startApp();
    const clash = await app.inject('POST', '/1.0/library/config', { body: HELLO, headers: TEXT });
    expect(clash.status).toBe(409);
    await app.inject('POST', '/1.0/hello/config', { body: HELLO, headers: TEXT });
    const specification = { fields: { name: { type: 'String' } }, settings: {} };
    const reverse = await app.inject('POST', '/1.0/hello/plants/config', { body: specification });
    expect(reverse).toMatchObject({
      status: 409,
      body: { errors: [{ code: 'NAME_TAKEN', field: 'database' }] },
    });
    expect((await app.inject('GET', '/1.0/hello/plants')).status).toBe(404);
  });
});

describe('the sandbox of the configuration', () => {
  it('switched off, runs nothing and takes nothing', async () => {
    const workspace = withEndpoint(HELLO);
    app = await startApp({ workspace });
    expect((await app.inject('GET', '/1.0/hello')).status).toBe(200);
    await app.close();
    writeFileSync(join(workspace.cwd, 'workspace', 'config.json'), '{"sandbox":{"enabled":false}}');
    app = await startApp({ workspace });
    const call = await app.inject('GET', '/1.0/hello');
    expect(call).toMatchObject({ status: 503, body: { errors: [{ code: 'SANDBOX_DISABLED' }] } });
    expect(call.headers['retry-after']).toMatch(/^\d+$/);
    const post = await app.inject('POST', '/1.0/other/config', { body: HELLO, headers: TEXT });
    expect(post).toMatchObject({ status: 503, body: { errors: [{ code: 'SANDBOX_DISABLED' }] } });
    await app.close();
    app = undefined;
    workspace.remove();
  });

  it('refuses to start below the level that it must have', async () => {
    const weaker = startApp({ config: { sandbox: { minimumLevel: 3, jitDomains: [] } } });
    const reached = await weaker.then(
      async (started) => {
        app = started;
        const status = await started.inject('GET', '/api/status');
        return status.body.sandbox;
      },
      (error: unknown) => error,
    );
    // What this machine can build decides; either way the promise of the setting is kept.
    if (reached instanceof Error) expect(reached).toMatchObject({ code: 'CONFIGURATION_INVALID' });
    else expect(reached).toMatchObject({ level: 3, selfTest: { state: 'passed' } });
  });

  it('starts where a level is demanded that the machine reaches', async () => {
    app = await startApp({ specs: {}, config: { sandbox: { minimumLevel: 1 } } });
    const { body } = await app.inject('GET', '/api/status');
    expect(body.sandbox.level).toBeGreaterThanOrEqual(1);
    expect(body.sandbox.selfTest.state).toBe('passed');
  });
});
