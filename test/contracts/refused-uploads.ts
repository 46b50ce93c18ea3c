// The contract of the server about uploads that are refused: at no moment can anybody read them, on either port; and those that
// are acknowledged can be read at once.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import type { MediaStore } from '../../src/stores/media-store.ts';
import { injectInto, startApp } from '../helpers/app/app.ts';
import { FORM_TYPE, formOf, type Part } from '../helpers/app/media-server.ts';

const OPEN = { type: 'media', authenticate: ['POST', 'PUT', 'DELETE'] };
const SPECS: Readonly<Record<string, JsonObject>> = {
  '1.0/library/strict': { fields: { caption: { type: 'String', required: true } }, settings: OPEN },
  '1.0/library/single': {
    fields: { caption: { type: 'String' } },
    settings: { ...OPEN, index: [{ keys: { caption: 1 }, options: { unique: true } }] },
  },
  '1.0/library/hooked': { fields: {}, settings: { ...OPEN, hooks: { beforeCreate: ['refuse'] } } },
  '1.0/library/free': { fields: {}, settings: OPEN },
};
const FILE: Part = { fileName: 'file.txt', type: 'text/plain', body: 'these bytes' };
const CAPTION: Part = { name: 'caption', body: 'taken' };
const ROUNDS = 20;

type Step = 'publish' | 'settle' | 'discard';

/** The store, with `at` called before and after each step of an upload that changes what is there. */
function watched(store: MediaStore, at: (step: Step, when: 'before' | 'after') => Promise<void>): MediaStore {
  const around = async <T>(step: Step, work: () => Promise<T>): Promise<T> => {
    await at(step, 'before');
    const result = await work();
    await at(step, 'after');
    return result;
  };
  return {
    ...store,
    begin: async (options) => {
      const upload = await store.begin(options);
      return {
        write: (source) => upload.write(source),
        publish: () => around('publish', () => upload.publish()),
        settle: () => around('settle', () => upload.settle()),
        discard: () => around('discard', () => upload.discard()),
        abandon: () => upload.abandon(),
      };
    },
  };
}

export function refusedUploadContract(openStore: () => Promise<MediaStore>): void {
  async function start() {
    const seen: { step: string; statuses: readonly number[] }[] = [];
    let probe: (() => Promise<readonly number[]>) | undefined;
    const mediaStore = watched(await openStore(), async (step, when) => {
      if (probe !== undefined) seen.push({ step: `${when} ${step}`, statuses: await probe() });
    });
    const app = await startApp({ specs: SPECS, config: { media: { pathFormat: 'none' } }, mediaStore });
    onTestFinished(() => app.close());
    const hook = 'module.exports = () => { throw new Error("refused"); };';
    const headers = { 'content-type': 'text/plain' };
    expect((await app.inject('POST', '/api/hooks/refuse/config', { body: hook, headers })).status).toBe(200);
    const delivery = { server: await app.app.deliveryServer() };
    const token = await app.adminToken();
    const send = async (collection: string, parts: readonly Part[]): Promise<number> => {
      const answer = await app.app.server.inject({
        method: 'POST',
        url: `/1.0/library/${collection}`,
        headers: { authorization: `Bearer ${token}`, 'content-type': FORM_TYPE },
        payload: formOf(parts),
      });
      return answer.statusCode;
    };
    /** What everybody, and an admin, get for the file of a collection. */
    const read = async (collection: string): Promise<readonly number[]> => {
      const key = `1.0/library/${collection}/file.txt`;
      const answers = await Promise.all([
        app.inject('GET', `/${key}`, { token: null }),
        app.inject('GET', `/${key}`),
        injectInto(delivery, { method: 'GET', path: `/${mediaStore.pathOf(key)}` }, {}),
      ]);
      return answers.map(({ status }) => status);
    };
    const watch = (collection: string) => {
      probe = () => read(collection);
    };
    return { send, read, watch, seen };
  }

  const REFUSALS: readonly [string, string, readonly Part[]][] = [
    ['by its specification', 'strict', [FILE]],
    ['by a unique index', 'single', [CAPTION, { ...FILE }]],
    ['by a hook', 'hooked', [FILE]],
  ];

  describe.each(REFUSALS)('an upload that is refused %s', (_why, collection, parts) => {
    async function startRefusing() {
      const site = await start();
      if (collection === 'single') {
        expect(await site.send('single', [CAPTION, { ...FILE, fileName: 'first.txt' }])).toBe(201);
      }
      return site;
    }

    it('can be read by nobody at any step of it', async () => {
      const { send, watch, seen } = await startRefusing();
      watch(collection);
      expect(await send(collection, parts)).toBeGreaterThanOrEqual(400);
      const steps = ['before publish', 'after publish', 'before discard', 'after discard'];
      expect(seen).toEqual(steps.map((step) => ({ step, statuses: [404, 404, 404] })));
    });

    it('can be read by nobody who asks all the time', async () => {
      const { send, read } = await startRefusing();
      const statuses = new Set<number>();
      let isOver = false;
      const poll = async () => {
        while (!isOver) {
          for (const status of await read(collection)) statuses.add(status);
          // What is asked here never waits for the system, and would leave no turn to the uploads.
          await nextTurn();
        }
      };
      const pollers = [1, 2, 3].map(poll);
      const answers = new Set<number>();
      for (let round = 0; round < ROUNDS; round += 1) answers.add(await send(collection, parts));
      isOver = true;
      await Promise.all(pollers);
      expect(answers).not.toContain(201);
      expect([...statuses]).toEqual([404]);
    });
  });

  it('an upload can be read from the moment on at which its record is stored, and not before', async () => {
    const { send, read, watch, seen } = await start();
    watch('free');
    expect(await send('free', [FILE])).toBe(201);
    expect(seen).toEqual([
      { step: 'before publish', statuses: [404, 404, 404] },
      { step: 'after publish', statuses: [404, 404, 404] },
      { step: 'before settle', statuses: [200, 200, 200] },
      { step: 'after settle', statuses: [200, 200, 200] },
    ]);
    expect(await read('free')).toEqual([200, 200, 200]);
  });
}
