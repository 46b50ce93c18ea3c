// `data.previousDocs`: hooks of updates and deletes know the documents as they were stored before the write.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ specs: {} });
  await app.inject('POST', `${SEEN}/config`, {
    body: { fields: { text: { type: 'String' } }, settings: {} },
  });
});
afterAll(() => app.close());

const SEEN = '/1.0/library/seen';
const FIELDS = { title: { type: 'String' }, n: { type: 'Number' } };

/** Writes down what it gets, in a collection of its own. */
const RECORDER = `module.exports = async (obj, type, data) => {
  const { previousDocs, updatedDocs, deletedDocs } = data;
  await Model('seen').create({ text: JSON.stringify({ type, obj, previousDocs, updatedDocs, deletedDocs }) });
};`;
let made = 0;

/** A collection with documents `a` and `b`, and a hook for these events that writes down what it gets. */
async function recorded(events: readonly string[], source = RECORDER) {
  made += 1;
  const [hook, path] = [`recorder-${made}`, `/1.0/library/recorded-${made}`];
  const headers = { 'content-type': 'text/plain' };
  await app.inject('POST', `/api/hooks/${hook}/config`, { body: source, headers });
  const grants = {
    collections: [SEEN, path].map((name) => ({ name: name.slice(1), actions: ['create', 'update'] })),
  };
  const put = await app.inject('PUT', `/api/hooks/${hook}/policy`, { body: { version: 1, grants } });
  expect([put.status, put.text]).toEqual([200, expect.any(String)]);
  const hooks = Object.fromEntries(events.map((event) => [event, [hook]]));
  await app.inject('POST', `${path}/config`, { body: { fields: FIELDS, settings: { hooks } } });
  const body = [
    { title: 'a', n: 1 },
    { title: 'b', n: 1 },
  ];
  const { results } = (await app.inject('POST', path, { body })).body;
  await app.inject('DELETE', SEEN, { body: { query: {}, all: true } });
  return { path, ids: results.map(({ _id }: { _id: string }) => _id) as string[] };
}

/** What was written down, once it is so much, in an order of its own. */
async function seen(count: number): Promise<Record<string, Any>[]> {
  const read = async () => (await app.inject('GET', `${SEEN}?cache=false`)).body.results;
  await expect.poll(async () => (await read()).length).toBe(count);
  const all = (await read()).map(({ text }: { text: string }) => JSON.parse(text));
  return all.sort((a: Any, b: Any) => `${a.type}${a.obj.title}`.localeCompare(`${b.type}${b.obj.title}`));
}

// biome-ignore lint/suspicious/noExplicitAny: what the hook wrote down.
type Any = any;
const short = (list: readonly JsonObject[] | undefined) => list?.map(({ title, n, v }) => [title, n, v]);

it('an update by query shows all of them before, and each one behind', async () => {
  const { path } = await recorded(['beforeUpdate', 'afterUpdate']);
  await app.inject('PUT', path, { body: { query: { n: 1 }, update: { n: 2 } } });
  const [after, second, before] = await seen(3);
  expect([before?.['type'], short(before?.['previousDocs'])]).toEqual([
    'beforeUpdate',
    [
      ['a', 1, 1],
      ['b', 1, 1],
    ],
  ]);
  expect(before?.['previousDocs']).toEqual(before?.['updatedDocs']);
  for (const [told, title] of [
    [after, 'a'],
    [second, 'b'],
  ] as const) {
    expect([told?.['type'], short(told?.['previousDocs']), short(told?.['updatedDocs'])]).toEqual([
      'afterUpdate',
      [[title, 1, 1]],
      [[title, 2, 2]],
    ]);
    expect(told?.['updatedDocs']).toEqual([told?.['obj']]);
  }
});

it('a removal shows each before and behind', async () => {
  const { path, ids } = await recorded(['beforeDelete', 'afterDelete']);
  await app.inject('DELETE', `${path}/${ids[1]}`);
  const told = await seen(2);
  expect(told.map(({ type }) => type)).toEqual(['afterDelete', 'beforeDelete']);
  for (const { obj, previousDocs, deletedDocs } of told) {
    expect([short(previousDocs), deletedDocs]).toEqual([[['b', 1, 1]], previousDocs]);
    expect(previousDocs).toEqual([obj]);
  }
});

it('a second hook of a chain sees the stored document, not what the first returned', async () => {
  const { path, ids } = await recorded(
    ['beforeUpdate'],
    `
    const record = ${RECORDER.replace('module.exports = ', '').replace(/;$/, '')};
    module.exports = async (obj, type, data) => { await record(obj, type, data); return { ...obj, n: obj.n + 1 }; };`,
  );
  const twice = { beforeUpdate: [`recorder-${made}`, `recorder-${made}`] };
  await app.inject('POST', `${path}/config`, { body: { fields: FIELDS, settings: { hooks: twice } } });
  await app.inject('PUT', `${path}/${ids[0]}`, { body: { n: 5 } });
  const told = await seen(2);
  expect(told.map(({ obj }) => obj.n).sort()).toEqual([5, 6]);
  for (const { previousDocs } of told) expect(short(previousDocs)).toEqual([['a', 1, 1]]);
});

it('an update behind a before-hook that wrote the document shows the state that this write replaced', async () => {
  const { path, ids } = await recorded(
    ['beforeUpdate', 'afterUpdate'],
    `
    const record = ${RECORDER.replace('module.exports = ', '').replace(/;$/, '')};
    module.exports = async (obj, type, data) => {
            if (type === 'afterUpdate') return obj.n === 9 ? record(obj, type, data) : undefined;
      if (obj.title === 'touched') return undefined;
      await Model('${'recorded-'}' + ${made + 1}).update({ title: 'a' }, { title: 'touched' });
    };`,
  );
  await app.inject('PUT', `${path}/${ids[0]}`, { body: { n: 9 } });
  const [told] = await seen(1);
  expect([short(told?.['previousDocs']), short(told?.['updatedDocs'])]).toEqual([
    [['touched', 1, 2]],
    [['touched', 9, 3]],
  ]);
});
