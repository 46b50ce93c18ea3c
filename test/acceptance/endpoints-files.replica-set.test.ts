// Endpoints, policies and hooks as files that a person lays down, edits and removes beside a running server.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

const saying = (text: string) => `module.exports.get = (req, res) => res.end('${text}');`;
const BROKEN = 'module.exports.get = (req, res => {';
/** An edit by hand is in force within two seconds; the machine that runs the tests is busy. */
const SOON = { interval: 20 };

function writer(workspace: Workspace) {
  return (name: string, text: string) => {
    const file = join(workspace.path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
}

describe('a file', () => {
  let server: EndpointServer;
  let write: (name: string, text: string) => void;
  const answer = (path: string) => async () => {
    const { status, text } = await server.get(path);
    return status === 200 ? text : status;
  };

  const log: string[] = [];
  /** Lines of the server's log about a module. */
  const told = (about: string) => async () => log.filter((line) => line.includes(about)).length;

  beforeAll(async () => {
    server = await startEndpointServer({ log });
    write = writer(server.workspace);
  });

  afterAll(() => server.close());

  it('is an endpoint soon after it is laid down, and changes with it', async () => {
    write('endpoints/1.0/endpoint.by-hand.js', saying('one'));
    await expect.poll(answer('/1.0/by-hand'), SOON).toBe('one');
    write('endpoints/1.0/endpoint.by-hand.js', saying('two'));
    await expect.poll(answer('/1.0/by-hand'), SOON).toBe('two');
    const { versions } = (await server.get('/1.0/by-hand/versions')).body;
    expect(versions).toMatchObject([{ clientId: null }, { clientId: null }]);
  });

  it('may be of a version that is new', async () => {
    write('endpoints/9.1/endpoint.by-hand.js', saying('nine'));
    await expect.poll(answer('/9.1/by-hand'), SOON).toBe('nine');
  });

  it('that is broken leaves the old code in force, and a line in the log', async () => {
    write('endpoints/1.0/endpoint.by-hand.js', BROKEN);
    await expect.poll(told('ENDPOINT_SYNTAX'), SOON).toBe(1);
    expect(await answer('/1.0/by-hand')()).toBe('two');
    expect((await server.get('/1.0/by-hand/config')).text).toBe(saying('two'));
    write('endpoints/1.0/endpoint.by-hand.js', saying('mended'));
    await expect.poll(answer('/1.0/by-hand'), SOON).toBe('mended');
  });

  it('of a policy is in force soon, one above the ceilings never', async () => {
    const header = "module.exports.get = (req, res) => { res.setHeader('set-cookie', 'a=1'); res.end(); };";
    await server.endpoint('by-hand', header);
    const cookie = async () => (await server.get('/1.0/by-hand')).headers.get('set-cookie');
    const policy = { version: 1, grants: { response: { headers: ['set-cookie'] } } };
    write('endpoints/1.0/endpoint.by-hand.policy.json', JSON.stringify(policy));
    await expect.poll(cookie, SOON).toBe('a=1');
    const shown = { ...policy, code: { sha256: expect.any(String) } };
    expect((await server.get('/1.0/by-hand/policy')).body).toEqual(shown);
    write('endpoints/1.0/endpoint.by-hand.policy.json', '{"version":1,"limits":{"cpuMs":999999}}');
    await expect.poll(told('limits.cpuMs'), SOON).toBe(1);
    expect(await cookie()).toBe('a=1');
  });

  it('that is put over HTTP is what a person would write', async () => {
    await server.putPolicy('by-hand', { version: 1, limits: { cpuMs: 50 } });
    const file = join(server.workspace.path, 'endpoints/1.0/endpoint.by-hand.policy.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ version: 1, limits: { cpuMs: 50 } });
  });

  it('that is removed is a delete: its versions stay', async () => {
    rmSync(join(server.workspace.path, 'endpoints/9.1/endpoint.by-hand.js'));
    await expect.poll(answer('/9.1/by-hand'), SOON).toBe(404);
    write('endpoints/9.1/endpoint.by-hand.js', saying('back'));
    await expect.poll(answer('/9.1/by-hand'), SOON).toBe('back');
    const { versions } = (await server.get('/9.1/by-hand/versions')).body;
    expect(versions.map(({ version }: { version: number }) => version).sort()).toEqual([1, 2]);
  });

  it('of another name is none', async () => {
    write('endpoints/1.0/other.js', saying('no'));
    write('endpoints/1.0/endpoint.txt', saying('no'));
    write('endpoints/1.0/endpoint.a b.js', saying('no'));
    write('endpoints/1.0/endpoint.last.js', saying('last'));
    await expect.poll(answer('/1.0/last'), SOON).toBe('last');
    expect([await answer('/1.0/other')(), await answer('/1.0/a%20b')()]).toEqual([404, 404]);
  });

  it('of a hook is in force soon', async () => {
    write('hooks/stamp.js', "module.exports = (obj) => ({ ...obj, title: obj.title + '!' });");
    const hooks = async () => (await server.get('/api/hooks')).body.hooks;
    await expect.poll(hooks, SOON).toMatchObject([{ name: 'stamp', state: 'active' }]);
    const body = { fields: { title: { type: 'String' } }, settings: { hooks: { beforeCreate: ['stamp'] } } };
    await server.call('POST', '/1.0/library/stamped/config', { body });
    const created = await server.call('POST', '/1.0/library/stamped', { body: { title: 'a' } });
    expect(created.body.results[0].title).toBe('a!');
  });
});

describe('at the start', () => {
  it('a broken file is 503 for that endpoint alone, until it is mended', async () => {
    const workspace = createWorkspace();
    const write = writer(workspace);
    write('endpoints/1.0/endpoint.broken.js', BROKEN);
    write('endpoints/1.0/endpoint.good.js', saying('good'));
    write('endpoints/1.0/endpoint.unruly.js', saying('unruly'));
    write('endpoints/1.0/endpoint.unruly.policy.json', '{"version":1,"limits":{"cpuMs":999999}}');
    write('endpoints/1.0/endpoint.loops.js', 'for (;;);');
    const server = await startEndpointServer({ workspace });
    try {
      expect((await server.get('/1.0/good')).text).toBe('good');
      for (const name of ['broken', 'unruly', 'loops']) {
        const { status, headers, body } = await server.get(`/1.0/${name}`);
        expect([name, status, body.errors[0].code]).toEqual([name, 503, 'ENDPOINT_SUSPENDED']);
        expect(headers.get('retry-after')).toMatch(/^\d+$/);
      }
      const { endpoints } = (await server.get('/api/endpoints')).body;
      const states = Object.fromEntries(
        endpoints.map(({ slug, state }: { slug: string; state: string }) => [slug, state]),
      );
      expect(states).toEqual({ broken: 'broken', good: 'active', loops: 'broken', unruly: 'broken' });
      await server.endpoint('broken', saying('mended'));
      expect((await server.get('/1.0/broken')).text).toBe('mended');
    } finally {
      await server.close();
      workspace.remove();
    }
  });

  it('files that changed while the server was away are new versions, those that went are removed', async () => {
    const server = await startEndpointServer();
    await server.endpoint('changed', saying('one'));
    await server.endpoint('gone', saying('one'));
    await server.app.close();
    const write = writer(server.workspace);
    write('endpoints/1.0/endpoint.changed.js', saying('two'));
    rmSync(join(server.workspace.path, 'endpoints/1.0/endpoint.gone.js'));
    const again = await startEndpointServer({ workspace: server.workspace });
    expect((await again.get('/1.0/changed')).text).toBe('two');
    expect((await again.get('/1.0/gone')).status).toBe(404);
    const { versions } = (await again.get('/1.0/changed/versions')).body;
    expect(versions).toHaveLength(2);
    await again.app.close();
    server.workspace.remove();
  });
});
