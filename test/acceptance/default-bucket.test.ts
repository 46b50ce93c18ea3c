// The default bucket of media: a collection that needs no specification where another one refers to it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { upload } from '../helpers/app/media-server.ts';

const reference = (collection: string, more: JsonObject = {}): JsonObject => ({
  type: 'Reference',
  settings: { collection, ...more },
});
const ARTICLES: JsonObject = {
  fields: { title: { type: 'String' }, image: reference('mediaStore') },
  settings: {},
};
const BUCKET = '/1.0/library/mediaStore';
const FILE = { fileName: 'a.txt', mimetype: 'text/plain', content: 'hello' };

async function uploadTo(app: TestApp, path: string) {
  return upload(app, path, FILE, { token: await app.adminToken() });
}

async function withApp(
  options: Parameters<typeof startApp>[0],
  task: (app: TestApp) => Promise<void>,
): Promise<void> {
  const app = await startApp(options);
  try {
    await app.app.started;
    await task(app);
  } finally {
    await app.close();
  }
}

describe('a site that refers to the default bucket and has no specification of it', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({
      specs: { '1.0/library/articles': ARTICLES, '2.0/library/articles': ARTICLES },
    });
    await app.app.started;
  });
  afterAll(() => app.close());

  it('takes uploads at every address of it, and gives the bytes', async () => {
    for (const path of ['/media', '/api/media', '/media/mediaStore', BUCKET]) {
      const { status, body, text } = await uploadTo(app, path);
      expect([path, status, text]).toEqual([path, 201, expect.anything()]);
      const [{ _id, path: stored }] = body.results;
      // Of two versions with the same documents the latest is meant where none is named.
      expect(stored).toMatch(
        path === BUCKET ? /^1\.0\/library\/mediaStore\// : /^2\.0\/library\/mediaStore\//,
      );
      for (const at of [BUCKET, '/media', '/media/mediaStore']) {
        expect((await app.inject('GET', `${at}/${_id}`)).body.results).toMatchObject([
          { originalFileName: 'a.txt' },
        ]);
        expect((await app.inject('GET', `${at}/${_id}/file`)).text).toBe('hello');
      }
    }
    const signed = await app.inject('POST', '/api/media/sign', { body: { fileName: 'a.txt' } });
    expect((await upload(app, signed.body.url, FILE)).status).toBe(201);
  });

  it('composes references, filters through them and updates records as sub-documents', async () => {
    const [record] = (await uploadTo(app, '/media')).body.results;
    const body = { title: 'Harbour', image: record._id };
    const [article] = (await app.inject('POST', '/1.0/library/articles', { body })).body.results;
    const composed = await app.inject('GET', `/1.0/library/articles/${article._id}?compose=true`);
    expect(composed.body.results[0].image).toMatchObject({ _id: record._id, mimetype: 'text/plain' });
    const filter = encodeURIComponent(JSON.stringify({ 'image._id': record._id }));
    const byPath = encodeURIComponent(JSON.stringify({ 'image.path': record.path }));
    for (const text of [filter, byPath]) {
      const found = await app.inject('GET', `/1.0/library/articles?filter=${text}`);
      expect(found.body.results).toMatchObject([{ _id: article._id }]);
    }
    const nested = { title: 'Quay', image: { ...record, fileName: 'other' } };
    const [second] = (await app.inject('POST', '/1.0/library/articles', { body: nested })).body.results;
    // A record that was fetched counts as its id: only uploads write what is known of a file.
    expect(second.image).toBe(record._id);
  });

  it('lists it and describes it as any other, and shows the specification that it would have', async () => {
    const { collections } = (await app.inject('GET', '/api/collections')).body;
    expect(collections.filter(({ slug }: JsonObject) => slug === 'mediaStore')).toEqual([
      {
        version: '1.0',
        database: 'library',
        name: 'mediaStore',
        slug: 'mediaStore',
        path: BUCKET,
        type: 'mediaCollection',
      },
      expect.objectContaining({ path: '/2.0/library/mediaStore' }),
    ]);
    const { paths } = (await app.inject('GET', '/docs/openapi.json')).body;
    expect(Object.keys(paths)).toContain(BUCKET);
    expect((await app.inject('GET', `${BUCKET}/config`)).body).toEqual({
      fields: {},
      settings: { type: 'mediaCollection' },
    });
    const removal = await app.inject('DELETE', `${BUCKET}/config`);
    expect([removal.status, removal.text]).toEqual([404, expect.stringContaining('has no specification')]);
  });

  it('asks for a token, as a media collection without settings does', async () => {
    expect((await app.inject('GET', '/media', { token: null })).status).toBe(401);
    expect((await upload(app, '/media', FILE)).status).toBe(401);
    const limited = await app.userToken('reader', { actions: ['read'] });
    expect((await upload(app, '/media', FILE, { token: limited })).status).toBe(401);
  });
});

describe('a specification of the default bucket', () => {
  it('takes its place when it is posted, and leaves it when it is removed, which says what becomes of it', async () => {
    await withApp({ specs: { '1.0/library/articles': ARTICLES } }, async (app) => {
      const [record] = (await uploadTo(app, '/media')).body.results;
      const body = {
        fields: { caption: { type: 'String' } },
        settings: { type: 'media', access: { read: [{ to: 'editors' }] } },
      };
      const posted = await app.inject('POST', `${BUCKET}/config`, { body });
      expect(posted.body).toMatchObject({ message: 'mediaStore collection created' });
      const token = await app.userToken('visitor');
      expect((await app.inject('GET', `${BUCKET}/${record._id}`, { token })).status).toBe(403);
      const removed = await app.inject('DELETE', `${BUCKET}/config`);
      expect(removed.body.warnings).toEqual([
        '/1.0/library/mediaStore stays, as the default bucket of media, because others refer to it: every client may read and write it',
      ]);
      expect((await app.inject('GET', `${BUCKET}/${record._id}`, { token })).status).toBe(200);
    });
  });

  it('that cannot be read keeps its documents closed: no bucket without its rules takes its place', async () => {
    const broken = { fields: { caption: { type: 'Nonsense' } }, settings: { type: 'media' } };
    const specs = {
      '1.0/library/articles': ARTICLES,
      '1.0/library/mediaStore': broken,
      '1.0/blog/posts': ARTICLES,
    };
    await withApp({ specs }, async (app) => {
      for (const path of [BUCKET, '/1.0/blog/mediaStore', '/media'])
        expect([path, (await app.inject('GET', path)).status]).toEqual([path, 404]);
      const body = { fields: {}, settings: { type: 'media' } };
      expect((await app.inject('POST', `${BUCKET}/config`, { body })).status).toBe(200);
      expect((await app.inject('GET', '/media')).status).toBe(200);
    });
  });

  it('may be referred to by a default filter that is posted before there is any bucket', async () => {
    await withApp({ specs: { '1.0/library/other': { fields: { a: {} }, settings: {} } } }, async (app) => {
      expect((await app.inject('GET', BUCKET)).status).toBe(404);
      const body = {
        ...ARTICLES,
        settings: { defaultFilters: { 'image.mimetype': 'text/plain' } },
      };
      const posted = await app.inject('POST', '/1.0/library/articles/config', { body });
      expect([posted.status, posted.body.warnings]).toEqual([200, []]);
      expect((await uploadTo(app, '/media')).status).toBe(201);
      expect((await app.inject('DELETE', '/1.0/library/articles/config')).status).toBe(200);
      expect((await app.inject('GET', BUCKET)).status).toBe(404);
    });
  });
});

describe('a site that does not refer to the default bucket', () => {
  const OTHER = { fields: { a: { type: 'String' } }, settings: {} };

  it('has none, with media collections of its own or without', async () => {
    const images = { fields: {}, settings: { type: 'media' } };
    await withApp({ specs: { '1.0/library/other': OTHER } }, async (app) => {
      expect((await uploadTo(app, '/media')).status).toBe(404);
      expect((await app.inject('GET', BUCKET)).status).toBe(404);
    });
    const config = { media: { enabled: true } };
    await withApp(
      { specs: { '1.0/library/other': OTHER, '1.0/library/images': images }, config },
      async (app) => {
        expect((await app.inject('GET', BUCKET)).status).toBe(404);
        expect((await uploadTo(app, '/media')).body.results[0].path).toMatch(/^1\.0\/library\/images\//);
      },
    );
  });

  it('has one where media.enabled is true and there is no media collection', async () => {
    const config = { media: { enabled: true, defaultBucket: 'files' } };
    await withApp({ specs: { '1.0/library/other': OTHER }, config }, async (app) => {
      expect((await uploadTo(app, '/media')).body.results[0].path).toMatch(/^1\.0\/library\/files\//);
    });
  });
});

describe('databases of their own for collections', () => {
  const config = { database: { enableCollectionDatabases: true } };

  it('give each a bucket of its own, and an address without a database means none of them', async () => {
    const specs = {
      '1.0/library/articles': ARTICLES,
      '1.0/blog/posts': {
        fields: { image: reference('mediaStore'), cover: reference('mediaStore', { database: 'library' }) },
        settings: {},
      },
    };
    await withApp({ specs, config }, async (app) => {
      const [record] = (await uploadTo(app, BUCKET)).body.results;
      expect((await app.inject('GET', `${BUCKET}/${record._id}`)).status).toBe(200);
      expect((await app.inject('GET', `/1.0/blog/mediaStore/${record._id}`)).status).toBe(404);
      expect((await uploadTo(app, '/media')).status).toBe(400);
    });
  });
});
