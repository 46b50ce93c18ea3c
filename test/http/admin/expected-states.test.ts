// What admins edit as a whole has an ETag, and is not overwritten where somebody else has changed it: routes and recipes on either
// port, specifications, clients.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { openDelivery, type TestDelivery } from '../../helpers/app/delivery.ts';
import { LIBRARY } from '../../helpers/fixtures/library.ts';

let site: TestDelivery & { close(): Promise<void> };

beforeAll(async () => {
  site = await openDelivery({ specs: LIBRARY });
});

afterAll(() => site.close());

interface Thing {
  readonly path: string;
  /** A method, a path and a body that makes it. */
  readonly make: readonly [string, string, JsonObject];
  readonly change: readonly [method: string, body: JsonObject];
  readonly otherChange: JsonObject;
  readonly isOnDeliveryPort?: true;
}

const route = (recipe: string) => ({ branches: [{ recipe }] });
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
};

describe.each(Object.entries(THINGS))(
  '%s',
  (_name, { path, make, change, otherChange, isOnDeliveryPort }) => {
    const [method, body] = change;
    const send = async (verb: string, to: string, sent?: JsonObject, ifMatch?: string) => {
      const token = await site.app.adminToken();
      const headers = ifMatch === undefined ? {} : { 'if-match': ifMatch };
      const options = { token, headers, ...(sent && { body: sent }) };
      return isOnDeliveryPort ? site.inject(verb, to, options) : site.app.inject(verb, to, options);
    };
    const read = async () => {
      const { headers, body: state, status } = await send('GET', path);
      return { etag: String(headers['etag']), state, status };
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
