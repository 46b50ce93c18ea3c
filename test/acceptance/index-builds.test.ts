// Indexes on documents that are there already: while they are built everything answers, and then they are right.
import { expect, it } from 'vitest';
import { checkData } from '../../src/cli/check-data.ts';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { createWorkspace } from '../helpers/temp/workspace.ts';

const FIELDS = { t: {}, n: { type: 'Number' }, pad: {} };
const plain = { fields: FIELDS, settings: {} };
const indexed = (...index: JsonObject[]) => ({ fields: FIELDS, settings: { index } });
const ON_T = { keys: { t: 1 } };
const ON_N = { keys: { n: 1 }, options: { unique: true } };
/** More than a build on the main thread takes at once, where there are two ways. */
const COUNT = 1500;

const documents = () =>
  Array.from({ length: COUNT }, (_, n) => ({ t: n % 10 === 0 ? 'tenth' : 'old', n, pad: 'x'.repeat(250) }));

async function fill(app: TestApp, name: string): Promise<void> {
  for (let from = 0, all: Json[] = documents(); from < COUNT; from += 500) {
    const answer = await app.inject('POST', `/1.0/library/${name}`, { body: all.slice(from, from + 500) });
    expect(answer.status).toBe(200);
  }
}

async function total(app: TestApp, name: string, filter: JsonObject): Promise<number> {
  const query = `filter=${encodeURIComponent(JSON.stringify(filter))}&count=1`;
  return (await app.inject('GET', `/1.0/library/${name}?${query}`)).body.metadata.totalCount;
}

/** Waits until every index is built, and asks the check beside the server. */
async function expectSound(cwd: string): Promise<void> {
  const check = async () => {
    const io = captureIo(cwd);
    return [await checkData({ data: true }, io), ...io.printed];
  };
  await expect.poll(check).toEqual([0, expect.stringMatching(/^all is well/)]);
}

it('any number of posted indexes, twice and in two versions, with writes meanwhile', async () => {
  const workspace = createWorkspace({ '1.0/library/aa': plain, '1.0/library/bb': plain });
  const app = await startApp({ workspace });
  try {
    await Promise.all([fill(app, 'aa'), fill(app, 'bb')]);
    const post = (address: string, body: JsonObject) => app.inject('POST', `/${address}/config`, { body });
    const posts = [
      post('1.0/library/aa', indexed(ON_T)),
      post('1.0/library/bb', indexed(ON_T, ON_N)),
      post('1.0/library/aa', indexed(ON_T)),
      post('2.0/library/aa', indexed(ON_T, ON_N)),
      post('1.0/library/cc', plain),
    ];
    const update = app.inject('PUT', '/1.0/library/aa', {
      body: { query: { t: 'tenth' }, update: { t: 'new' } },
    });
    expect((await app.inject('GET', '/health', { token: null })).status).toBe(200);
    for (const { status } of await Promise.all(posts)) expect(status).toBeLessThan(300);
    expect((await update).status).toBe(200);
    expect(await total(app, 'aa', { t: 'new' })).toBe(COUNT / 10);
    expect(await total(app, 'aa', { t: 'tenth' })).toBe(0);
    const twin = await app.inject('POST', '/1.0/library/bb', { body: { n: 7 } });
    expect(twin.status).toBe(400);
    await expectSound(workspace.cwd);
  } finally {
    await app.close();
    workspace.remove();
  }
});

it('indexes that specification files got while the server was away', async () => {
  const workspace = createWorkspace({ '1.0/library/aa': plain, '1.0/library/bb': plain });
  const before = await startApp({ workspace });
  await Promise.all([fill(before, 'aa'), fill(before, 'bb')]);
  await before.close();
  workspace.specify('1.0/library/aa', indexed(ON_T));
  workspace.specify('1.0/library/bb', indexed(ON_T, ON_N));
  const app = await startApp({ workspace });
  try {
    await app.app.started;
    expect((await app.inject('GET', '/health', { token: null })).status).toBe(200);
    expect(await total(app, 'aa', { t: 'tenth' })).toBe(COUNT / 10);
    expect((await app.inject('POST', '/1.0/library/bb', { body: { n: 7 } })).status).toBe(400);
    await expectSound(workspace.cwd);
  } finally {
    await app.close();
    workspace.remove();
  }
});
