// The path of a revision collection shows nothing that the collection of the documents would not show.
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';

const NOTES: JsonObject = {
  fields: { title: { type: 'String' }, secret: { type: 'String', access: { read: ['staff'] } } },
  settings: { storeRevisions: true, authenticate: false },
};
const REVISIONS: JsonObject = {
  fields: { title: { type: 'String' }, secret: { type: 'String' } },
  settings: { authenticate: false },
};
const LINKS: JsonObject = {
  fields: { revision: { type: 'Reference', settings: { collection: 'notesHistory' } } },
  settings: { authenticate: false },
};

async function withNotes(revisions: JsonObject, use: (app: TestApp, revision: string) => Promise<void>) {
  const app = await startApp({
    specs: { '1.0/notes/notes': NOTES, '1.0/notes/notesHistory': revisions, '1.0/notes/links': LINKS },
  });
  try {
    const body = { title: 'A', secret: 'known to staff' };
    const created = await app.inject('POST', '/1.0/notes/notes', { body });
    const [{ history }] = (created.body as { results: [{ history: string[] }] }).results;
    await use(app, history[0] as string);
  } finally {
    await app.close();
  }
}

test('revisions of documents with hidden fields are for admins, as those of documents with rules', async () => {
  await withNotes(REVISIONS, async (app, revision) => {
    const link = await app.inject('POST', '/1.0/notes/links', { body: { revision } });
    expect(link.status).toBe(200);
    for (const path of [
      'notesHistory',
      `notesHistory/${revision}`,
      'notesHistory/count',
      'notesHistory/stats',
      `notesHistory?filter={"secret":"known to staff"}`,
      'links?filter={"revision.secret":"known to staff"}',
    ]) {
      const { status, text } = await app.inject('GET', `/1.0/notes/${path}`, { token: null });
      expect([path, status >= 400, text.includes('"secret":"')]).toEqual([path, true, false]);
    }
    const composed = await app.inject('GET', '/1.0/notes/links?compose=true', { token: null });
    expect(composed.body).toMatchObject({ results: [{ revision }] });
    expect((await app.inject('GET', '/1.0/notes/notesHistory')).text).toContain('known to staff');
  });
});

test('a revision collection with rules of its own is what these say', async () => {
  const access = { read: [{ to: 'anyone', where: { title: 'A' } }] };
  const fields = { title: { type: 'String' }, secret: { type: 'String', access: { read: ['staff'] } } };
  await withNotes({ fields, settings: { access } }, async (app) => {
    const { body, text } = await app.inject('GET', '/1.0/notes/notesHistory', { token: null });
    expect(body).toMatchObject({ results: [{ title: 'A' }] });
    expect(text).not.toContain('secret');
  });
});
