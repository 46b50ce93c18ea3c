import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { createFakeHooks, type FakeHooks } from '../fake-hooks.ts';
import { contextOf, openLibrary } from '../library-service.ts';

const MEDIA = { fields: { isPublic: { type: 'Boolean' } }, settings: { type: 'media' } };

async function openImages(settings = {}, hooks?: FakeHooks) {
  const images = { ...MEDIA, settings: { ...MEDIA.settings, ...settings } };
  const library = await openLibrary({ images, films: MEDIA }, hooks && { hooks });
  onTestFinished(() => library.close());
  const create = async (path: string, isPublic = true) => {
    const record = { serverFields: { path }, fields: { isPublic } };
    const { results } = await library.documents.createRecords(library.at('images'), [record], contextOf());
    return String(JSON.parse(results[0]!)._id);
  };
  const find = (by: { id: string } | { path: string }, name = 'images') =>
    library.documents.findRecord(library.at(name), by, contextOf());
  return { create, find };
}

test('the look-up of files finds a record by id and by its exact path, in its own collection', async () => {
  const { create, find } = await openImages();
  const _id = await create('2026/a.png');
  expect(await find({ id: _id.toUpperCase() })).toMatchObject({ _id, path: '2026/a.png' });
  expect(await find({ path: '2026/a.png' })).toMatchObject({ _id });
  expect(await find({ path: '2026/A.png' })).toBeUndefined();
  expect(await find({ path: '' })).toBeUndefined();
  expect(await find({ id: _id }, 'films')).toBeUndefined();
});

test('what default filters hide is not found', async () => {
  const { create, find } = await openImages({ defaultFilters: { isPublic: true } });
  const hidden = await create('hidden.png', false);
  await create('seen.png');
  expect([await find({ id: hidden }), await find({ path: 'hidden.png' })]).toEqual([undefined, undefined]);
  expect(await find({ path: 'seen.png' })).toBeDefined();
});

test.each([
  [
    'beforeGet',
    (obj: JsonObject) => ({ filter: { $and: [obj['filter'] ?? {}, { isPublic: true }] }, options: {} }),
  ],
  [
    'afterGet',
    (obj: JsonObject) => ({
      ...obj,
      results: (obj['results'] as JsonObject[]).filter(({ isPublic }) => isPublic),
    }),
  ],
])('what a hook %s hides is not found', async (event, hide) => {
  const hooks = createFakeHooks({ hide });
  const { create, find } = await openImages({ hooks: { [event]: ['hide'] } }, hooks);
  const hidden = await create('hidden.png', false);
  await create('seen.png');
  expect([await find({ id: hidden }), await find({ path: 'hidden.png' })]).toEqual([undefined, undefined]);
  expect(await find({ path: 'seen.png' })).toMatchObject({ path: 'seen.png' });
});
