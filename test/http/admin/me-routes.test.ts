// What a caller is told about itself.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../helpers/app/app.ts';

const NOTES = {
  fields: {
    text: {
      type: 'String',
      label: 'Text',
      comments: 'What it says',
      placement: 'Main content',
      required: true,
    },
    rating: { type: 'Number', access: { write: ['editor'] } },
    salary: { type: 'Number', access: { read: ['editor'], write: ['editor'] } },
  },
  settings: {
    sort: 'salary',
    displayName: 'Short notes',
    access: {
      read: [{ to: 'clients' }],
      create: [{ to: 'client:writer', where: { text: 'mine' } }],
    },
  },
};
/** Whoever may not read documents puts some in. */
const BOX = {
  fields: {
    text: { type: 'String', default: 'told to readers', label: 'Text', reminder: 'for our programs' },
    veiled: { type: 'Object', access: { read: ['editor'] } },
  },
  settings: {
    sort: 'veiled.inner',
    access: { create: [{ to: 'clients' }], read: [{ to: 'client:reader' }] },
  },
};
const CLOSED = { fields: { text: { type: 'String' } }, settings: { access: {} } };
const PICTURES = { fields: {}, settings: { type: 'media' } };

let app: TestApp;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  app = await startApp({
    specs: {
      '1.0/site/notes': NOTES,
      '1.0/site/closed': CLOSED,
      '1.0/site/pictures': PICTURES,
    },
  });
  tokens['writer'] = await app.userToken('writer');
  tokens['reader'] = await app.userToken('reader', { actions: ['read'] });
});

afterAll(() => app.close());

const as = (client: string) => ({ token: tokens[client] ?? null });

describe('/api/me', () => {
  it('tells an admin that it may do everything', async () => {
    const { status, body } = await app.inject('GET', '/api/me');
    const actions = ['read', 'create', 'update', 'delete', 'history'];
    expect(status).toBe(200);
    expect(body).toEqual({
      clientId: 'admin',
      accessType: 'admin',
      collections: [
        { path: '/1.0/site/closed', actions },
        { path: '/1.0/site/notes', actions },
        { path: '/1.0/site/pictures', actions, isMedia: true },
      ],
    });
  });

  it('tells a client what rules and permissions leave to it, and no collection with which it may do nothing', async () => {
    const writer = (await app.inject('GET', '/api/me', as('writer'))).body;
    expect(writer.collections[0]).toEqual({ path: '/1.0/site/notes', actions: ['read', 'create'] });
    expect(writer.collections.map(({ path }: { path: string }) => path)).toEqual([
      '/1.0/site/notes',
      '/1.0/site/pictures',
    ]);
    const reader = (await app.inject('GET', '/api/me', as('reader'))).body;
    expect(reader).toEqual({
      clientId: 'reader',
      accessType: 'user',
      permissions: { actions: ['read'] },
      collections: [
        { path: '/1.0/site/notes', actions: ['read'] },
        { path: '/1.0/site/pictures', actions: ['read'], isMedia: true },
      ],
    });
  });

  it('needs a token', async () => {
    expect((await app.inject('GET', '/api/me', { token: null })).status).toBe(401);
    expect((await app.inject('POST', '/api/me')).status).toBe(405);
  });
});

describe('/api/me/collections/{version}/{database}/{collection}', () => {
  const path = '/api/me/collections/1.0/site/notes';

  it('has what a form needs, of the fields that the caller may read', async () => {
    const { status, body } = await app.inject('GET', path, as('writer'));
    expect(status).toBe(200);
    expect(body).toEqual({
      path: '/1.0/site/notes',
      name: 'Short notes',
      actions: ['read', 'create'],
      isMedia: false,
      fields: { text: NOTES.fields.text, rating: { type: 'Number' } },
      closed: ['rating'],
      settings: {
        sort: null,
        sortOrder: 1,
        count: 40,
        compose: false,
        storeRevisions: false,
        signUploads: false,
      },
    });
  });

  it('has every field for an admin, and never who may read it', async () => {
    const { body, text } = await app.inject('GET', path);
    expect(Object.keys(body.fields)).toEqual(['text', 'rating', 'salary']);
    expect([body.closed, body.settings.sort]).toEqual([[], 'salary']);
    expect(text).not.toContain('editor');
  });

  it('tells no default to who may read no document, no path into a hidden field, and no attribute of other programs', async () => {
    const box = '/api/me/collections/1.0/site/box';
    await app.inject('POST', '/1.0/site/box/config', { body: BOX });
    const writer = await app.inject('GET', box, as('writer'));
    expect(writer.body.actions).toEqual(['create']);
    expect(writer.body.fields).toEqual({ text: { type: 'String', label: 'Text' } });
    const reader = await app.inject('GET', box, as('reader'));
    expect(reader.body.fields.text).toEqual({ type: 'String', default: 'told to readers', label: 'Text' });
    expect([writer.body.settings.sort, reader.body.settings.sort]).toEqual([null, null]);
    for (const { text } of [writer, reader]) expect(text).not.toMatch(/veiled|reminder/);
    const described = await app.inject('GET', '/docs/openapi.json', as('writer'));
    expect(described.text).toContain('new_1_0__site__box');
    expect(described.text).not.toMatch(/told to readers|reminder/);
    await app.inject('DELETE', '/1.0/site/box/config');
  });

  it('is not there where the caller may do nothing, as for a collection that does not exist', async () => {
    const closed = await app.inject('GET', '/api/me/collections/1.0/site/closed', as('writer'));
    const absent = await app.inject('GET', '/api/me/collections/1.0/site/absent', as('writer'));
    expect([closed.status, absent.status]).toEqual([404, 404]);
    expect(closed.text).toBe(absent.text);
  });
});
