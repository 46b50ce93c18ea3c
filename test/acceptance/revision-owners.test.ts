// Revisions belong to one collection: nobody gets them through another, however specifications name the place where they are.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { exportWorkspace, importWorkspace } from '../helpers/app/site.ts';
import { createWorkspace } from '../helpers/temp/workspace.ts';

const fields = { name: {}, pin: {} };

const kept = (revisionCollection?: string, more: JsonObject = {}) => ({
  fields,
  settings: { storeRevisions: true, ...(revisionCollection && { revisionCollection }), ...more },
});

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ specs: {} });
});
afterAll(() => app.close());

const post = (name: string, body: unknown) => app.inject('POST', `/1.0/library/${name}/config`, { body });

async function statusAndFields(name: string, body: unknown) {
  const { status, body: answer } = await post(name, body);
  return [status, ...(answer.errors ?? []).map(({ field }: { field: string }) => field)];
}

describe('a specification is refused that', () => {
  it('keeps its revisions where another one keeps its own', async () => {
    expect(await statusAndFields('closed', kept('changes'))).toEqual([200]);
    const { status, text } = await post('open', kept('changes'));
    expect([status, text]).toEqual([400, expect.stringContaining('/1.0/library/closed')]);
    expect(await statusAndFields('closed2', kept('changes'))).toEqual([400, 'revisionCollection']);
    expect(await statusAndFields('thief', kept('closedHistory'))).toEqual([200]);
    // Another version of a collection has the same documents, and so the same revisions.
    const again = await app.inject('POST', '/2.0/library/closed/config', { body: kept('changes') });
    expect(again.status).toBe(200);
    expect(await statusAndFields('closed', kept('changes', { count: 7 }))).toEqual([200]);
  });

  it('keeps its revisions where there are documents of a collection, also one without any yet', async () => {
    expect(await statusAndFields('plain', { fields, settings: {} })).toEqual([200]);
    expect(await statusAndFields('taker', kept('plain'))).toEqual([400, 'revisionCollection']);
    const { status } = await app.inject('POST', '/1.0/library/plain', { body: { name: 'a' } });
    expect(status).toBe(200);
  });

  it('is about revisions, and would keep some itself, or take files', async () => {
    expect(await statusAndFields('first', kept('second'))).toEqual([200]);
    expect(await statusAndFields('second', kept('first'))).toEqual([400, 'revisionCollection']);
    expect(await statusAndFields('second', kept('third'))).toEqual([400, 'storeRevisions']);
    expect(await statusAndFields('second', { fields, settings: { type: 'media' } })).toEqual([400, 'type']);
    expect(await statusAndFields('second', { fields, settings: {} })).toEqual([200]);
    expect(await statusAndFields('first', kept('second'))).toEqual([200]);
  });

  it('has a unique index on revisions, in either order', async () => {
    const index = { keys: { name: 1 }, options: { unique: true } };
    expect(await statusAndFields('u', kept())).toEqual([200]);
    expect(await statusAndFields('uHistory', { fields, settings: { index } })).toEqual([400, 'index']);
    expect(await statusAndFields('wHistory', { fields, settings: { index } })).toEqual([200]);
    expect(await statusAndFields('w', kept())).toEqual([400, 'revisionCollection']);
    const [{ _id }] = (await app.inject('POST', '/1.0/library/u', { body: { name: 'a' } })).body.results;
    expect((await app.inject('PUT', `/1.0/library/u/${_id}`, { body: { pin: '2' } })).status).toBe(200);
  });

  it('keeps its revisions where a collection that is gone left some', async () => {
    expect(await statusAndFields('left', kept('leavings'))).toEqual([200]);
    await app.inject('POST', '/1.0/library/left', { body: { name: 'a' } });
    await app.inject('DELETE', '/1.0/library/left/config');
    expect(await statusAndFields('next', kept('leavings'))).toEqual([400, 'revisionCollection']);
    expect(await statusAndFields('left', kept('leavings'))).toEqual([200]);
  });
});

describe('two collections that files let keep their revisions in one place', () => {
  it('serve each its own only, those without a name of one to none', async () => {
    const unique = { index: { keys: { name: 1 }, options: { unique: true } } };
    const workspace = createWorkspace({
      '1.0/library/open': kept('changes'),
      '1.0/library/closed': kept('changes', { fieldLimiters: { pin: 0 } }),
      '1.0/library/changes': { fields, settings: unique },
    });
    const log: string[] = [];
    const two = await startApp({ workspace, log });
    try {
      expect(log.filter((line) => line.includes('conflicts with another one'))).toHaveLength(3);
      const created = await two.inject('POST', '/1.0/library/closed', { body: { name: 'x', pin: '1234' } });
      const id = created.body.results[0]._id;
      expect((await two.inject('PUT', `/1.0/library/closed/${id}`, { body: { pin: '9' } })).status).toBe(200);
      const other = await two.inject('GET', `/1.0/library/open/${id}/history`);
      expect([other.status, other.body.results]).toEqual([404, []]);
      const own = await two.inject('GET', `/1.0/library/closed/${id}/history`);
      expect(own.body.results.map(({ action }: { action: string }) => action)).toEqual(['create', 'update']);
      expect(own.text).not.toContain('originalCollection');
      const both = await two.inject('GET', `/1.0/library/closed/${id}?includeHistory=true`);
      expect(both.body.results[0].history).toHaveLength(2);
      expect(both.text).not.toContain('originalCollection');
    } finally {
      await two.close();
      workspace.remove();
    }
  });
});

describe('revisions without the name of their collection', () => {
  it('are served by the collection that alone keeps its revisions there, until another one does too', async () => {
    const specs = { '1.0/library/books': kept('past') };
    const source = createWorkspace(specs);
    const target = createWorkspace(specs);
    try {
      const filled = await startApp({ workspace: source });
      const { body } = await filled.inject('POST', '/1.0/library/books', { body: { name: 'b' } });
      const path = `/1.0/library/books/${body.results[0]._id}`;
      await filled.close();
      const { output } = await exportWorkspace(source);
      expect(output).toContain('"originalCollection":"books"');
      await importWorkspace(target, output.replaceAll('"originalCollection":"books",', ''));

      const alone = await startApp({ workspace: target });
      const served = await alone.inject('GET', `${path}/history`);
      const included = await alone.inject('GET', `${path}?includeHistory=true`);
      await alone.close();
      expect(served.body.results).toMatchObject([{ name: 'b', action: 'create' }]);
      expect(included.body.results[0].history).toMatchObject([{ name: 'b', action: 'create' }]);

      target.specify('1.0/library/films', kept('past'));
      const two = await startApp({ workspace: target });
      const own = await two.inject('GET', `${path}/history`);
      const others = await two.inject('GET', `${path.replace('books', 'films')}/history`);
      await two.close();
      expect([own.body.results, others.status]).toEqual([[], 404]);
    } finally {
      source.remove();
      target.remove();
    }
  });
});
