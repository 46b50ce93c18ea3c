// Hooks of collections in the whole application: posted, run in the sandbox, refused, suspended, removed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';

let app: TestApp;
const log: string[] = [];
beforeAll(async () => {
  app = await startApp({ specs: {}, config: { cache: true }, log });
});
afterAll(() => app.close());

const TEXT = { 'content-type': 'text/plain' };

async function hook(name: string, source: string, policy?: JsonObject) {
  const posted = await app.inject('POST', `/api/hooks/${name}/config`, { body: source, headers: TEXT });
  if (posted.status === 409)
    await app.inject('PUT', `/api/hooks/${name}/config`, { body: source, headers: TEXT });
  else expect([posted.status, posted.text]).toEqual([200, expect.any(String)]);
  if (policy === undefined) return;
  const put = await app.inject('PUT', `/api/hooks/${name}/policy`, { body: policy });
  expect([put.status, put.text]).toEqual([200, expect.any(String)]);
}

async function shelf(name: string, hooks: JsonObject, settings: JsonObject = {}) {
  const path = `/1.0/library/${name}`;
  const fields = {
    title: { type: 'String', required: true },
    slug: { type: 'String' },
    n: { type: 'Number' },
  };
  const { status, text } = await app.inject('POST', `${path}/config`, {
    body: { fields, settings: { ...settings, hooks } },
  });
  expect([status, text]).toEqual([200, expect.any(String)]);
  return path;
}

const post = (path: string, body: unknown, options = {}) => app.inject('POST', path, { body, ...options });

/** Waits for what happens behind an answer. */
async function eventually(look: () => Promise<boolean>): Promise<void> {
  while (!(await look())) await new Promise((resolve) => setImmediate(resolve));
}

describe('a before-hook', () => {
  it('changes what is created and updated, with its options', async () => {
    await hook(
      'slug',
      `module.exports = async (obj, type, data) => {
        const source = obj[data.options.from];
        return source === undefined ? obj : { ...obj, slug: type + ' ' + source.toLowerCase() };
      };`,
    );
    const use = [{ hook: 'slug', options: { from: 'title' } }];
    const path = await shelf('slugged', { beforeCreate: use, beforeUpdate: use });
    const { body } = await post(path, [{ title: 'One' }, { title: 'Two' }]);
    expect(body.results).toMatchObject([{ slug: 'beforeCreate one' }, { slug: 'beforeCreate two' }]);
    const put = await app.inject('PUT', `${path}/${body.results[0]._id}`, { body: { title: 'Three' } });
    expect(put.body.results).toMatchObject([{ title: 'Three', slug: 'beforeUpdate three' }]);
  });

  it('gets everything that it may know', async () => {
    await hook(
      'all',
      'module.exports = (obj, type, data) => ({ title: JSON.stringify({ obj, type, data }) });',
    );
    const path = await shelf('known', { beforeCreate: ['all'] });
    const token = await app.userToken('curious');
    const headers = { cookie: 'secret', 'accept-language': 'de' };
    const { body } = await post(`${path}?x=1`, { title: 'a' }, { token, headers });
    const { obj, type, data } = JSON.parse(body.results[0].title);
    expect([obj, type]).toEqual([{ title: 'a' }, 'beforeCreate']);
    expect(data).toMatchObject({
      collection: 'known',
      schema: { title: { type: 'String', required: true } },
      req: { method: 'POST', path, query: { x: '1' }, headers: { 'accept-language': 'de' } },
    });
    expect(data.req.client).toMatchObject({ clientId: 'curious', accessType: 'user' });
    expect(JSON.stringify(data)).not.toMatch(/secret|Bearer|authorization/);
  });

  it('that throws is a 400 in the words of the hook', async () => {
    await hook(
      'strict',
      `module.exports = (obj) => {
        if (obj.n === 1) { const error = new Error('no\\nones'); error.code = 'NO-ONES'; throw error; }
        if (obj.n === 2) return null;
        if (obj.n === 3) throw 'plain text';
        if (obj.n === 4) return Promise.reject(new TypeError('later'));
      };`,
    );
    const path = await shelf('strict', { beforeCreate: ['strict'] });
    const refused = async (n: number) => {
      const { status, body } = await post(path, { title: 'a', n });
      return [status, body.errors[0].code, body.errors[0].details];
    };
    expect(await refused(1)).toEqual([400, 'NO-ONES', 'strict - no ones']);
    expect(await refused(2)).toEqual([400, 'API-0002', 'strict - returned null']);
    expect(await refused(3)).toEqual([400, 'API-0002', expect.stringContaining('plain text')]);
    expect(await refused(4)).toEqual([400, 'API-0002', 'strict - later']);
    const { status, body } = await post(path, [{ title: 'a' }, { title: 'b', n: 2 }]);
    expect([status, body.success, body.errors]).toMatchObject([
      400,
      false,
      [{ title: 'Hook Error', hookName: 'strict', index: 1 }],
    ]);
    expect((await app.inject('GET', path)).body.results).toEqual([]);
    const { body: told } = await app.inject('GET', '/api/hooks/strict/logs');
    expect(JSON.stringify(told.logs)).toContain('later');
  });

  it('that loops, or eats memory, ends as a refusal', async () => {
    await hook('loop', 'module.exports = () => { for (;;) {} };', { limits: { cpuMs: 50, wallMs: 500 } });
    await hook(
      'eat',
      'module.exports = () => { const a = []; for (;;) a.push(new Array(1e5).fill(1.5)); };',
      {
        limits: { heapMb: 16 },
      },
    );
    for (const name of ['loop', 'eat']) {
      const path = await shelf(`in-${name}`, { beforeCreate: [name] });
      const { status, body } = await post(path, { title: 'a' });
      expect([status, body.errors[0].code]).toEqual([400, 'API-0002']);
    }
  });

  it('keeps documents from being deleted', async () => {
    await hook('keep', 'module.exports = (doc) => { if (doc.n > 1) throw new Error("kept"); return doc; };');
    const path = await shelf('kept', { beforeDelete: ['keep'] });
    const { body } = await post(path, [
      { title: 'a', n: 1 },
      { title: 'b', n: 2 },
    ]);
    const all = await app.inject('DELETE', path, { body: { query: {}, all: true } });
    expect([all.status, all.body.errors[0].details]).toEqual([400, 'keep - kept']);
    const [first, second] = body.results;
    expect((await app.inject('DELETE', `${path}/${second._id}`)).status).toBe(400);
    expect((await app.inject('DELETE', `${path}/${first._id}`)).status).toBe(204);
  });

  it('keeps no state from one document to the next', async () => {
    await hook(
      'count',
      'let n = 0; globalThis.m = (globalThis.m || 0) + 1; module.exports = (o) => ({ ...o, n: ++n + (globalThis.m ?? 1) });',
    );
    const path = await shelf('counted', { beforeCreate: ['count'] });
    const titles = Array.from({ length: 100 }, (_, n) => ({ title: `${n}` }));
    const { body } = await post(path, titles);
    expect(new Set(body.results.map(({ n }: { n: number }) => n))).toEqual(new Set([2]));
  });
});

describe('hooks of reads', () => {
  it('narrow what is asked and clean what is answered, never from the cache', async () => {
    await hook(
      'mine',
      'module.exports = (obj, type, data) => ({ ...obj, filter: { ...obj.filter, slug: data.req.client.clientId } });',
    );
    await hook(
      'clean',
      'module.exports = ({ results, metadata }) => ({ results: results.map(({ n, ...rest }) => rest), metadata });',
    );
    const path = await shelf('private', { beforeGet: ['mine'], afterGet: ['clean'] });
    const [ann, bob] = await Promise.all([app.userToken('ann'), app.userToken('bob')]);
    const { body } = await post(path, [
      { title: 'a', slug: 'ann', n: 1 },
      { title: 'b', slug: 'bob', n: 2 },
    ]);
    for (const [token, title] of [
      [ann, 'a'],
      [bob, 'b'],
      [ann, 'a'],
    ] as const) {
      const list = await app.inject('GET', path, { token });
      expect(list.body.results).toMatchObject([{ title }]);
      expect(list.text).not.toContain('"n":');
      expect(list.headers['x-cache']).toBeUndefined();
      expect((await app.inject('GET', `${path}/count`, { token })).body.metadata.totalCount).toBe(1);
    }
    const other = `${path}/${body.results[1]._id}`;
    expect((await app.inject('GET', other, { token: ann })).status).toBe(404);
    expect((await app.inject('GET', other, { token: bob })).status).toBe(200);
  });
});

describe('an after-hook', () => {
  it('runs behind the answer, with a grant of its own', async () => {
    const grants = { collections: [{ name: '1.0/library/events', actions: ['create'] }] };
    await hook(
      'record',
      "module.exports = (doc, type) => Model('events').create({ title: type + ' ' + doc.title });",
      { grants },
    );
    const events = await shelf('events', {});
    const path = await shelf('recorded', {
      afterCreate: ['record'],
      afterUpdate: ['record'],
      afterDelete: ['record'],
    });
    const { body } = await post(path, { title: 'a' });
    const at = `${path}/${body.results[0]._id}`;
    await app.inject('PUT', at, { body: { title: 'b' } });
    await app.inject('DELETE', at);
    const titles = async () => {
      const found = await app.inject('GET', `${events}?sort=title&cache=false`);
      return found.body.results.map(({ title }: { title: string }) => title);
    };
    await eventually(async () => (await titles()).length === 3);
    expect(await titles()).toEqual(['afterCreate a', 'afterDelete b', 'afterUpdate b']);
  });

  it('that fails leaves the write alone', async () => {
    await hook('fails', 'module.exports = () => { throw new Error("behind"); };');
    const path = await shelf('failing', { afterCreate: ['fails'] });
    expect((await post(path, { title: 'a' })).status).toBe(200);
    await eventually(async () => log.some((line) => line.includes('fails - behind')));
  });

  it('that calls itself for ever ends', async () => {
    const grants = { collections: [{ name: '1.0/library/endless', actions: ['create'] }] };
    await hook('again', "module.exports = () => Model('endless').create({ title: 'again' });", { grants });
    const path = await shelf('endless', { afterCreate: ['again'] });
    await post(path, { title: 'first' });
    await eventually(async () => {
      const { body } = await app.inject('GET', '/api/hooks/again/logs');
      return JSON.stringify(body.logs).includes('too deep');
    });
    const { body } = await app.inject('GET', `${path}/count?cache=false`);
    expect(body.metadata.totalCount).toBe(5);
  });
});

describe('a hook that does not run', () => {
  it('makes the writes before which it should run fail with 503, and no reads', async () => {
    const path = await shelf('missing', { beforeCreate: ['not-yet'], afterDelete: ['not-yet'] });
    const { status, body, headers } = await post(path, { title: 'a' });
    expect([status, body.errors[0].code]).toEqual([503, 'ENDPOINT_SUSPENDED']);
    expect(body.errors[0].message).toContain('not-yet');
    expect(headers['retry-after']).toBeDefined();
    expect((await app.inject('GET', path)).status).toBe(200);
    await hook('not-yet', 'module.exports = (obj) => obj;');
    expect((await post(path, { title: 'a' })).status).toBe(200);
  });

  it('is suspended and resumed by an admin', async () => {
    await hook('paused', 'module.exports = (obj) => obj;');
    const path = await shelf('paused', { beforeCreate: ['paused'] });
    await app.inject('POST', '/api/hooks/paused/suspend');
    expect((await post(path, { title: 'a' })).status).toBe(503);
    await app.inject('DELETE', '/api/hooks/paused/suspend');
    expect((await post(path, { title: 'a' })).status).toBe(200);
  });
});

it('with custom code switched off, writes and reads that hooks stand before are 503', async () => {
  const hooks = { beforeCreate: ['slug'], afterGet: ['slug'] };
  const fields = { title: { type: 'String' } };
  const specs = {
    '1.0/library/hooked': { fields, settings: { hooks } },
    '1.0/library/free': { fields, settings: { hooks: { afterCreate: ['slug'] } } },
  };
  const off = await startApp({ specs, config: { sandbox: { enabled: false } } });
  try {
    for (const [method, body] of [
      ['POST', { title: 'a' }],
      ['GET', undefined],
    ] as const) {
      const { status, body: answer } = await off.inject(method, '/1.0/library/hooked', { body });
      expect([status, answer.errors[0].code]).toEqual([503, 'SANDBOX_DISABLED']);
    }
    expect((await off.inject('POST', '/1.0/library/free', { body: { title: 'a' } })).status).toBe(200);
  } finally {
    await off.close();
  }
});
