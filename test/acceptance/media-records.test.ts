// Media records as clients see them beside other documents. They come by an import here: how files come is told elsewhere.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { exportWorkspace, importWorkspace } from '../helpers/app/site.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

const IMAGES: JsonObject = {
  fields: {
    fileName: { type: 'String', required: true },
    path: { type: 'String', required: true, matchType: 'exact' },
    alt: { type: 'String' },
    hidden: { type: 'Boolean' },
  },
  settings: {
    type: 'media',
    storeRevisions: true,
    defaultFilters: { hidden: { $ne: true } },
    index: [{ keys: { contentLength: 1 } }],
  },
};
const BOOKS: JsonObject = {
  fields: { title: {}, cover: { type: 'Reference', settings: { collection: 'images' } } },
  settings: {},
};
const SPECS = {
  '1.0/library/images': IMAGES,
  '1.0/library/thin': { ...IMAGES, settings: { type: 'media', fieldLimiters: { path: 1, width: 1 } } },
  '1.0/library/books': BOOKS,
};
const PATH = '/1.0/library/images';

const idOf = (n: number) => n.toString(16).padStart(24, '0');
function record(n: number, more: JsonObject = {}, folder = 'images'): JsonObject {
  const path = `1.0/library/${folder}/2026/11/22/${n}.png`;
  return {
    fileName: `${n}.png`,
    originalFileName: `Photo ${n}.PNG`,
    mimetype: 'image/png',
    width: 100 * n,
    height: 50,
    path,
    contentLength: 1000 - n,
    url: `/${path}`,
    ...more,
    apiVersion: '1.0',
    createdAt: 5,
    createdBy: 'ann',
    history: [],
    v: 1,
    _id: idOf(n),
  };
}
const lineOf = (document: JsonObject, collection = 'images') =>
  `${JSON.stringify({ database: null, collection, document })}\n`;

let workspace: Workspace;
let app: TestApp;
beforeEach(async () => {
  workspace = createWorkspace(SPECS);
  const lines = [1, 2, 3].map((n) => lineOf(record(n, { alt: `Alt ${n}` })));
  lines.push(lineOf(record(4, { hidden: true })), lineOf(record(5, {}, 'thin'), 'thin'));
  await importWorkspace(workspace, lines.join(''));
  app = await startApp({ workspace });
});
afterEach(async () => {
  await app.close();
  workspace.remove();
});

const get = async (path: string, parameters: Record<string, string> = {}) =>
  (await app.inject('GET', `${path}?${new URLSearchParams(parameters)}`)).body;
const found = async (filter: object, more = {}) => {
  const { results } = await get(PATH, { filter: JSON.stringify(filter), ...more });
  return results.map(({ _id }: { _id: string }) => Number.parseInt(_id, 16));
};

describe('media records', () => {
  it('are read, found and sorted by what the server sets, declared or not', async () => {
    expect((await get(`${PATH}/${idOf(2)}`)).results).toEqual([record(2, { alt: 'Alt 2' })]);
    expect(await found({}, { sort: 'contentLength' })).toEqual([3, 2, 1]);
    expect(await found({ width: { $gt: 100 }, mimetype: 'IMAGE/png' }, { sort: 'width' })).toEqual([2, 3]);
    expect(await found({ path: record(3)['path'] })).toEqual([3]);
    expect(await found({ path: String(record(3)['path']).toUpperCase() })).toEqual([]);
    const { results } = await get(PATH, { fields: '{"url":1}', sort: 'url', count: '1' });
    expect(results).toEqual([{ url: record(1)['url'], _id: idOf(1) }]);
    expect((await get('/1.0/library/thin')).results).toEqual([
      { path: record(5, {}, 'thin')['path'], width: 500, _id: idOf(5) },
    ]);
  });

  it('obey default filters, and are counted, measured and called like any documents', async () => {
    expect((await get(`${PATH}/count`)).metadata.totalCount).toBe(3);
    expect((await get(`${PATH}/${idOf(4)}`)).results).toEqual([]);
    const stats = await get(`${PATH}/stats`);
    expect(stats.count).toBe(4);
    expect(Object.keys(stats.indexSizes)).toEqual(expect.arrayContaining(['path_1', 'contentLength_1']));
    const { text } = await app.inject('GET', `${PATH}/${idOf(1)}?callback=go`);
    expect(text).toMatch(/^\/\*\*\/ ?go\(|^go\(/);
  });

  it('keep their specification as it was posted', async () => {
    const { settings, ...rest } = await get(`${PATH}/config`);
    expect(rest.fields).toEqual(IMAGES['fields']);
    expect(settings).toMatchObject(IMAGES['settings'] as JsonObject);
    const body = { fields: { width: { type: 'String' } }, settings: { type: 'media' } };
    const posted = await app.inject('POST', '/1.0/library/scans/config', { body });
    expect(posted.status).toBe(400);
    expect(posted.body.errors).toMatchObject([
      { field: 'width', message: expect.stringMatching('a Number') },
    ]);
  });

  it('are updated in what is declared, never in what the server sets', async () => {
    const change = { alt: 'new', path: 'x', width: 1, url: 'evil', originalFileName: 'y' };
    const one = await app.inject('PUT', `${PATH}/${idOf(1)}`, { body: change });
    expect(one.body.results[0]).toMatchObject({ width: 100, url: record(1)['url'], alt: 'new', v: 2 });
    const body = { query: { width: 200 }, update: change };
    for (const method of ['PUT', 'POST']) {
      const { body: answer } = await app.inject(method, PATH, { body });
      expect(answer.results).toMatchObject([{ path: record(2)['path'], alt: 'new' }]);
    }
    const { results } = await get(`${PATH}/${idOf(2)}/history`);
    expect(results).toMatchObject([{ path: record(2)['path'], v: 2 }, { v: 3 }]);
  });

  it('are not created as JSON, neither themselves nor inside others', async () => {
    const plain = await app.inject('POST', PATH, { body: record(9) });
    expect([plain.status, plain.body.errors]).toEqual([
      400,
      [{ field: 'file', message: 'must be specified' }],
    ]);
    const body = { title: 'x', cover: { alt: 'y' } };
    const nested = await app.inject('POST', '/1.0/library/books', { body });
    expect([nested.status, nested.body.errors[0].field]).toEqual([400, 'cover.file']);
  });

  it('take the place of the ids that refer to them', async () => {
    const cover = { ...record(1), path: 'forged' };
    await app.inject('POST', '/1.0/library/books', { body: { title: 'x', cover } });
    const { results } = await get('/1.0/library/books', { compose: 'true' });
    expect(results).toMatchObject([{ cover: { ...record(1), alt: 'Alt 1' }, composed: { cover: idOf(1) } }]);
  });

  it('are removed by id and by query, and exported as they are', async () => {
    expect((await app.inject('DELETE', `${PATH}/${idOf(1)}`)).status).toBe(204);
    await app.inject('DELETE', PATH, { body: { query: { width: { $gte: 300 } } } });
    await app.close();
    const { output } = await exportWorkspace(workspace);
    expect(output).toContain(lineOf(record(2, { alt: 'Alt 2' })));
    expect(output).not.toContain('cloister.');
    const images = output.split('\n').filter((line) => line.includes('"collection":"images"'));
    expect(images).toHaveLength(1);
    app = await startApp({ workspace });
  });
});
