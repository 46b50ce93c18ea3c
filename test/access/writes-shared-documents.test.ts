// One document in two collections that share it, each with rules of its own: what one shows is not known to the other.
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp } from '../helpers/app/app.ts';

const people = (access: JsonObject): JsonObject => ({
  fields: { name: { type: 'String' } },
  settings: { access },
});

const refersTo = (database: string): JsonObject => ({
  type: 'Reference',
  settings: { database, collection: 'people' },
});

test('a nested write into a document that its own collection does not show is one with an unknown id', async () => {
  const app = await startApp({
    specs: {
      '1.0/open/people': people({ read: [{ to: 'clients' }] }),
      '1.0/closed/people': people({ update: [{ to: 'clients' }] }),
      '1.0/open/books': {
        fields: { editor: refersTo('open'), author: refersTo('closed') },
        settings: { access: { create: [{ to: 'clients' }], read: [{ to: 'clients' }] } },
      },
    },
  });
  onTestFinished(() => app.close());
  const token = await app.userToken('ann');
  const made = await app.inject('POST', '/1.0/open/people', { body: { name: 'Ada' } });
  const { _id } = (made.body as { results: [{ _id: string }] }).results[0];
  const write = (id: string) =>
    app.inject('POST', '/1.0/open/books', {
      token,
      body: { editor: { _id, name: 'Ada' }, author: { _id: id, name: 'Eve' } },
    });
  const shared = await write(_id);
  const unknown = await write('f'.repeat(24));
  expect([shared.status, shared.text]).toEqual([400, unknown.text]);
  const after = await app.inject('GET', `/1.0/open/people/${_id}`);
  expect(after.body).toMatchObject({ results: [{ name: 'Ada', v: 1 }] });
});
