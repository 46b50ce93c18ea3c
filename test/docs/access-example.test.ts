// The example workspace shows access rules: its images are open for reading, and say so.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { FORM_TYPE, formOf } from '../helpers/app/media-server.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

const FOLDER = 'workspace/collections/1.0/library';
const textOf = (name: string) => readFileSync(join(ROOT, FOLDER, `collection.${name}.json`), 'utf8');
const SPECS = Object.fromEntries(
  ['books', 'people', 'images'].map((name) => [
    `1.0/library/${name}`,
    JSON.parse(textOf(name)) as JsonObject,
  ]),
);
const IMAGES = '/1.0/library/images';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ specs: SPECS });
});
afterAll(() => app.close());

const upload = (token: string | null) =>
  app.app.server.inject({
    method: 'POST',
    url: IMAGES,
    headers: { 'content-type': FORM_TYPE, ...(token !== null && { authorization: `Bearer ${token}` }) },
    payload: formOf([{ fileName: 'a.jpg', type: 'image/jpeg', body: 'bytes' }]),
  });

test('images of the example workspace are read by anyone and changed by who sent them', async () => {
  const [ann, bob] = [await app.userToken('ann'), await app.userToken('bob')];
  expect((await upload(null)).statusCode).toBe(401);
  const { _id, path } = JSON.parse((await upload(ann)).body).results[0];
  for (const url of [IMAGES, `${IMAGES}/${_id}`, `${IMAGES}/${_id}/file`, `/${path}`]) {
    expect([url, (await app.inject('GET', url, { token: null })).status]).toEqual([url, 200]);
  }
  const change = (token: string | null) =>
    app.inject('PUT', `${IMAGES}/${_id}`, { token, body: { caption: 'x' } });
  expect((await change(null)).status).toBe(401);
  expect((await change(bob)).status).toBe(403);
  expect((await change(ann)).status).toBe(200);
  expect((await app.inject('DELETE', `${IMAGES}/${_id}`, { token: bob })).status).toBe(403);
  expect((await app.inject('DELETE', `${IMAGES}/${_id}`, { token: ann })).status).toBe(204);
});

test('books and people of the example workspace are closed to callers without a token', async () => {
  for (const name of ['books', 'people']) {
    expect((await app.inject('GET', `/1.0/library/${name}`, { token: null })).status).toBe(401);
  }
});

test('the README quotes the rule by which anyone reads images', () => {
  const rule = '"read": [{ "to": "anyone" }]';
  expect(textOf('images')).toContain(rule);
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain(`\`${rule}\``);
});
