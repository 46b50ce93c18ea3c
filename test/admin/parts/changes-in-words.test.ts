// What the page says that a new specification changes is what the server then does.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeChanges } from '../../../admin/src/views/collections/specification/changes-in-words.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../../helpers/app/app.ts';

const PATH = '/1.0/library/words';
const BEFORE: JsonObject = { fields: { title: {}, code: {}, rank: { type: 'Number' } }, settings: {} };

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ specs: {} });
  await post(BEFORE);
  await app.inject('POST', PATH, {
    body: [
      { title: 'a', code: 'x', rank: 1 },
      { title: 'b', code: 'x', rank: 2 },
    ],
  });
});
afterAll(() => app.close());

const post = (body: JsonObject) => app.inject('POST', `${PATH}/config`, { body });
const first = async () => (await app.inject('GET', PATH)).body.results[0] as JsonObject;

describe('what is said of a specification before it is saved', () => {
  it('holds for a renamed field: values stay under the old name, and are still shown', async () => {
    const after = { fields: { heading: {}, code: {}, rank: { type: 'Number' } }, settings: {} };
    expect(describeChanges(BEFORE, after).lines).toEqual([
      'The field heading (String) is added',
      'The field title is removed: documents keep what they have in it',
      'If heading is to take the place of title: values stay under title, none is copied',
    ]);
    expect((await post(after)).status).toBe(200);
    expect(await first()).toMatchObject({ title: 'a' });
    expect(await first()).not.toHaveProperty('heading');
  });

  it('holds for another type: documents keep their values, and new values must be of the new type', async () => {
    const after = { fields: { title: {}, code: {}, rank: { type: 'String' } }, settings: {} };
    expect(describeChanges(BEFORE, after).lines).toEqual([
      'The field rank is String instead of Number: documents keep their values, new values must be of the new type',
    ]);
    expect((await post(after)).status).toBe(200);
    expect(await first()).toMatchObject({ rank: 1 });
    expect((await app.inject('POST', PATH, { body: { title: 'c', rank: 3 } })).status).toBe(400);
  });

  it('holds for a unique index: it is refused while documents have the same value', async () => {
    const index = [{ keys: { code: 1 }, options: { unique: true } }];
    const after = { ...BEFORE, settings: { index } };
    expect(describeChanges(BEFORE, after).lines).toEqual([
      'The unique index on code is built: saving is refused while documents have the same value',
    ]);
    const refused = await post(after);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('not unique')]);
  });
});
