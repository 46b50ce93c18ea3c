// `model` of a specification: the name under which its documents are stored, where that is not the name of the specification.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { exportWorkspace } from '../helpers/app/site.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

const fields = {
  title: { type: 'String' },
  author: { type: 'Reference', settings: { collection: 'people' } },
};
const RENAMED: JsonObject = {
  model: 'volumes',
  fields,
  settings: { storeRevisions: true, index: [{ keys: { title: 1 }, options: { unique: true } }] },
};
const BOOKS = '/1.0/library/books';

let workspace: Workspace;
let app: TestApp;
beforeEach(async () => {
  workspace = createWorkspace({
    '1.0/library/books': RENAMED,
    '1.0/library/people': { fields: { name: { type: 'String' } }, settings: {} },
  });
  app = await startApp({ workspace });
  await app.app.started;
});
afterEach(async () => {
  await app.close();
  workspace.remove();
});

const post = async (path: string, body: unknown) => app.inject('POST', path, { body });
const titles = async (path: string) =>
  (await app.inject('GET', path)).body.results.map(({ title }: JsonObject) => title);

describe('a specification with another name for its documents', () => {
  it('has its own name in paths, and that one in the database, for revisions too', async () => {
    const made = await post(BOOKS, { title: 'Emma' });
    expect([made.status, made.text]).toEqual([200, expect.anything()]);
    const [book] = made.body.results;
    await app.inject('PUT', `${BOOKS}/${book._id}`, { body: { title: 'Emma II' } });
    expect(await titles(BOOKS)).toEqual(['Emma II']);
    expect((await app.inject('GET', `${BOOKS}/${book._id}/history`)).body.results).toHaveLength(2);
    expect((await app.inject('GET', '/1.0/library/volumes')).status).toBe(404);
    expect((await post(BOOKS, { title: 'Emma II' })).status).toBe(400);
    await app.app.close();
    const exported = JSON.stringify(await exportWorkspace(workspace));
    for (const name of ['volumes', 'volumesHistory'])
      expect(exported).toContain(`\\"collection\\":\\"${name}\\"`);
    expect(exported).not.toContain('\\"collection\\":\\"books\\"');
    app = await startApp({ workspace });
    expect(await titles(BOOKS)).toEqual(['Emma II']);
  });

  it('is listed, described and referred to by its own name', async () => {
    const { collections } = (await app.inject('GET', '/api/collections')).body;
    expect(collections.map(({ path }: JsonObject) => path)).toEqual([BOOKS, '/1.0/library/people']);
    const [author] = (await post('/1.0/library/people', { name: 'Jane' })).body.results;
    await post(BOOKS, { title: 'Emma', author: author._id });
    const composed = await app.inject('GET', `${BOOKS}?compose=true`);
    expect(composed.body.results[0].author.name).toBe('Jane');
  });

  it('shares its documents with the specification of that name, and with another of the same', async () => {
    await post(BOOKS, { title: 'Emma' });
    const body = { fields, settings: { storeRevisions: true } };
    const own = await post('/1.0/library/volumes/config', body);
    expect(own.body.warnings).toContain(
      'shares its documents with /1.0/library/books: both are stored as `volumes`',
    );
    const other = await post('/1.0/library/tomes/config', { ...body, model: 'volumes' });
    expect(other.status).toBe(200);
    for (const name of ['volumes', 'tomes']) expect(await titles(`/1.0/library/${name}`)).toEqual(['Emma']);
    // The unique index of one holds for all.
    expect((await post('/1.0/library/tomes', { title: 'Emma' })).status).toBe(400);
    const [tome] = (await post('/1.0/library/tomes', { title: 'Persuasion' })).body.results;
    expect((await app.inject('GET', `${BOOKS}/${tome._id}/history`)).body.results).toHaveLength(1);
  });

  it('has other documents when another name is posted, and drops the indexes of the former', async () => {
    await post(BOOKS, { title: 'Emma' });
    const moved = await post(`${BOOKS}/config`, { fields, settings: {}, model: 'elsewhere' });
    expect(moved.status).toBe(200);
    expect(await titles(BOOKS)).toEqual([]);
    await post('/1.0/library/volumes/config', { fields, settings: {} });
    expect((await post('/1.0/library/volumes', { title: 'Emma' })).status).toBe(200);
  });

  it('may say its own name, or nothing', async () => {
    for (const [name, model] of [
      ['a', 'a'],
      ['b', ''],
      ['c', null],
    ]) {
      const { status, body } = await post(`/1.0/library/${name}/config`, { model, fields, settings: {} });
      expect([status, body.warnings]).toEqual([200, []]);
    }
  });
});

describe('a name for documents is refused', () => {
  it.each([
    ['cloister.clients', 'are reserved'],
    ['system.users', 'are reserved'],
    ['config', 'is reserved'],
    ['../books', 'must be letters'],
    ['a'.repeat(300), 'longer than'],
    ['__proto__.x', undefined],
    [7, 'must be the name of a collection'],
    [['books'], 'must be the name of a collection'],
    ['VOLUMES', 'differs only by case from `volumes`'],
    ['volumesHistory', undefined],
  ])('%j', async (model, message) => {
    const body = { model, fields, settings: { storeRevisions: true } };
    const answer = await post('/1.0/library/other/config', body);
    if (message === undefined) return;
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'model']);
    expect(answer.body.errors[0].message).toContain(message);
  });

  it('where revisions of another collection are stored under it', async () => {
    const answer = await post('/1.0/library/other/config', {
      model: 'volumesHistory',
      fields,
      settings: { storeRevisions: true },
    });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('keeps its revisions')]);
  });

  it('of a media collection, whose files have its path', async () => {
    const media = { model: 'pictures', fields: {}, settings: { type: 'media' } };
    const answer = await post('/1.0/library/images/config', media);
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'model']);
    expect(answer.body.errors[0].message).toContain('collection.pictures.json');
    expect(existsSync(join(workspace.path, 'collections/1.0/library/collection.images.json'))).toBe(false);
  });
});

it('an edit of the file by hand changes the documents', async () => {
  await post(BOOKS, { title: 'Emma' });
  const file = join(workspace.path, 'collections/1.0/library/collection.books.json');
  writeFileSync(file, JSON.stringify({ fields, settings: {} }));
  await expect.poll(() => titles(BOOKS)).toEqual([]);
  writeFileSync(file, JSON.stringify({ ...RENAMED, settings: {} }));
  await expect.poll(() => titles(BOOKS)).toEqual(['Emma']);
});
