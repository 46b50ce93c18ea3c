// What admins edit as a whole has an ETag, and is not overwritten where somebody else has changed it: routes and recipes on either
// port, specifications, clients, the code of endpoints and hooks, and their policies.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { openDelivery, type TestDelivery } from '../../helpers/app/delivery.ts';
import { LIBRARY } from '../../helpers/fixtures/library.ts';

let site: TestDelivery & { close(): Promise<void> };

beforeAll(async () => {
  site = await openDelivery({ specs: LIBRARY });
});

afterAll(() => site.close());

/** A text is code. */
type Body = JsonObject | string;

interface Thing {
  readonly path: string;
  /** A method, a path and a body that makes it. */
  readonly make: readonly [string, string, Body];
  readonly change: readonly [method: string, body: Body];
  readonly otherChange: Body;
  readonly isOnDeliveryPort?: true;
}

const route = (recipe: string) => ({ branches: [{ recipe }] });
const endpoint = (word: string) => `module.exports.get = (req, res) => res.end('${word}');\n`;
const hook = (word: string) => `module.exports = (obj) => ({ ...obj, word: '${word}' });\n`;
const spec = (name: string) => ({ fields: { [name]: { type: 'String' } }, settings: {} });

const THINGS: Readonly<Record<string, Thing>> = {
  'a route': {
    path: '/api/routes/first-route',
    make: ['POST', '/api/routes', { route: 'first-route', ...route('thumbs') }],
    change: ['PUT', route('small')],
    otherChange: route('large'),
  },
  'a route on the delivery port': {
    path: '/api/routes/second-route',
    make: ['POST', '/api/routes', { route: 'second-route', ...route('thumbs') }],
    change: ['PUT', route('small')],
    otherChange: route('large'),
    isOnDeliveryPort: true,
  },
  'a recipe': {
    path: '/api/recipes/first-recipe',
    make: ['POST', '/api/recipes', { recipe: 'first-recipe', settings: { width: 10 } }],
    change: ['PUT', { settings: { width: 20 } }],
    otherChange: { settings: { width: 30 } },
  },
  'a recipe with the name of the previews': {
    path: '/api/recipes/preview',
    make: ['POST', '/api/recipes', { recipe: 'preview', settings: { width: 10 } }],
    change: ['PUT', { settings: { width: 20 } }],
    otherChange: { settings: { width: 30 } },
  },
  'a specification': {
    path: '/1.0/library/letters/config',
    make: ['POST', '/1.0/library/letters/config', spec('text')],
    change: ['POST', spec('other')],
    otherChange: spec('third'),
  },
  'a client': {
    path: '/api/clients/reader',
    make: ['POST', '/api/clients', { clientId: 'reader' }],
    change: ['PUT', { roles: ['editor'] }],
    otherChange: { roles: ['author'] },
  },
  'the code of an endpoint': {
    path: '/1.0/report/config',
    make: ['POST', '/1.0/report/config', endpoint('one')],
    change: ['POST', endpoint('two')],
    otherChange: endpoint('three'),
  },
  'the code of a hook': {
    path: '/api/hooks/stamp/config',
    make: ['POST', '/api/hooks/stamp/config', hook('one')],
    change: ['PUT', hook('two')],
    otherChange: hook('three'),
  },
};

describe.each(Object.entries(THINGS))(
  '%s',
  (_name, { path, make, change, otherChange, isOnDeliveryPort }) => {
    const [method, body] = change;
    const send = async (verb: string, to: string, sent?: Body, ifMatch?: string) => {
      const token = await site.app.adminToken();
      const headers = {
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        ...(typeof sent === 'string' && { 'content-type': 'text/plain' }),
      };
      const options = { token, headers, ...(sent && { body: sent }) };
      return isOnDeliveryPort ? site.inject(verb, to, options) : site.app.inject(verb, to, options);
    };
    const read = async () => {
      const { headers, text, status } = await send('GET', path);
      return { etag: String(headers['etag']), text, status };
    };

    it('is changed with the ETag that a read gave, and neither changed nor removed with an older one', async () => {
      await send(make[0], make[1], make[2]);
      const first = await read();
      expect(first.etag).toMatch(/^"[\w-]{22}"$/);
      expect((await read()).etag).toBe(first.etag);
      expect((await send(method, path, body, first.etag)).status).toBe(200);
      const second = await read();
      expect(second.etag).not.toBe(first.etag);
      for (const refused of [
        await send(method, path, otherChange, first.etag),
        await send('DELETE', path, undefined, first.etag),
        await send('DELETE', path, undefined, '"no-state-of-it"'),
        await send(method, path, otherChange, `W/${second.etag}`),
      ]) {
        expect([refused.status, refused.text]).toEqual([412, expect.stringContaining('If-Match')]);
      }
      expect(await read()).toEqual(second);
      expect((await send(method, path, otherChange, `"x", ${second.etag}`)).status).toBe(200);
      expect((await send(method, path, body, '*')).status).toBe(200);
      expect((await send('DELETE', path, undefined, (await read()).etag)).status).toBeLessThan(300);
      expect((await read()).status).toBe(404);
    });

    it('is changed by one of several who read the same state', async () => {
      await send(make[0], make[1], make[2]);
      const { etag } = await read();
      const answers = await Promise.all(
        [body, otherChange, body, otherChange].map((sent) => send(method, path, sent, etag)),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412]);
      await send('DELETE', path);
    });

    it('is not changed with any ETag where there is none', async () => {
      for (const ifMatch of ['*', '"x"']) {
        expect([404, 412]).toContain((await send(method, path, body, ifMatch)).status);
        expect((await read()).status).toBe(404);
      }
    });
  },
);

describe('the policy of an endpoint', () => {
  const path = '/1.0/policed/policy';
  const put = (cpuMs: number, ifMatch?: string) =>
    site.app.inject('PUT', path, {
      body: { version: 1, limits: { cpuMs } },
      headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
    });
  const etag = async () => String((await site.app.inject('GET', path)).headers['etag']);
  const post = (word: string) =>
    site.app.inject('POST', '/1.0/policed/config', {
      body: endpoint(word),
      headers: { 'content-type': 'text/plain' },
    });

  it('is put with the ETag that a read gave, and not with an older one', async () => {
    expect((await post('one')).status).toBe(200);
    const first = await etag();
    expect(first).toMatch(/^"[\w-]{22}"$/);
    expect((await put(100, first)).status).toBe(200);
    const second = await etag();
    expect(second).not.toBe(first);
    for (const old of [first, '"x"', `W/${second}`]) {
      const { status, text } = await put(200, old);
      expect([status, text]).toEqual([412, expect.stringContaining('If-Match')]);
    }
    expect((await put(300, '*')).status).toBe(200);
    expect((await site.app.inject('GET', path)).body['limits']).toEqual({ cpuMs: 300 });
  });

  it('keeps its ETag while only the code changes, and is put by one of several who read the same state', async () => {
    const before = await etag();
    expect((await post('two')).status).toBe(200);
    expect(await etag()).toBe(before);
    const answers = await Promise.all([10, 20, 30].map((cpuMs) => put(cpuMs, before)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412]);
  });
});

describe('a new endpoint', () => {
  it('is made with `If-None-Match: *`, which replaces none that is there', async () => {
    const post = (word: string) =>
      site.app.inject('POST', '/1.0/fresh/config', {
        body: endpoint(word),
        headers: { 'content-type': 'text/plain', 'if-none-match': '*' },
      });
    expect((await post('one')).status).toBe(200);
    expect((await post('two')).status).toBe(412);
    expect((await site.app.inject('GET', '/1.0/fresh/config')).text).toBe(endpoint('one'));
  });
});
