import { expect, test } from 'vitest';
import { createIssueCollector } from '../../../src/collections/specifications/issue-collector.ts';
import { mixesInclusion, parseSettings } from '../../../src/collections/specifications/parse-settings.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { BOOKS_ADDRESS, makeCollection, parse } from '../../helpers/fixtures/specifications.ts';

const { fields } = makeCollection({ title: {} });

function read(source: JsonObject) {
  const report = createIssueCollector();
  const settings = parseSettings(source, { address: BOOKS_ADDRESS, fields, report });
  return { settings, items: report.issues, warnings: report.warnings };
}

test('settings with every member are parsed', () => {
  const { settings, items, warnings } = read({
    cache: false,
    authenticate: ['post', 'HEAD', 'Get'],
    callback: 'render',
    count: 5,
    sort: 'title',
    sortOrder: 'DESC',
    defaultFilters: { title: 'x' },
    fieldLimiters: { title: 1, _id: 0 },
    storeRevisions: true,
    revisionCollection: 'old',
    index: { keys: { title: -1 } },
    compose: true,
    type: 'mediaCollection',
    signUploads: true,
    displayName: 'Books',
    hooks: { beforeCreate: ['slugify'] },
  });
  expect(items).toEqual([]);
  expect(warnings).toEqual([]);
  expect(settings).toMatchObject({
    cache: false,
    authenticate: ['POST', 'GET'],
    callback: 'render',
    pageSize: 5,
    sort: 'title',
    sortOrder: -1,
    defaultFilters: { title: 'x' },
    fieldLimiters: { title: 1, _id: 0 },
    storeRevisions: true,
    revisionCollection: 'old',
    compose: true,
    media: true,
    signUploads: true,
    displayName: 'Books',
    hooks: { beforeCreate: [{ name: 'slugify', options: undefined }] },
  });
});

test('settings that are null count as absent', () => {
  const nulls = {
    callback: null,
    defaultFilters: null,
    fieldLimiters: null,
    revisionCollection: null,
    sort: null,
  };
  const { settings, items } = read({ ...nulls, authenticate: false, index: [] });
  expect(items).toEqual([]);
  expect(settings).toMatchObject({ ...nulls, revisionCollection: 'booksHistory', authenticate: false });
});

test.each<[JsonObject, string]>([
  [{ cache: 'yes' }, 'cache'],
  [{ cache: null }, 'cache'],
  [{ authenticate: 'GET' }, 'authenticate'],
  [{ authenticate: ['FETCH'] }, 'authenticate'],
  [{ authenticate: [1] }, 'authenticate'],
  [{ callback: 'a.b' }, 'callback'],
  [{ callback: 'a'.repeat(101) }, 'callback'],
  [{ count: 0 }, 'count'],
  [{ count: 1.5 }, 'count'],
  [{ count: '40' }, 'count'],
  [{ sort: { title: 1 } }, 'sort'],
  [{ sortOrder: 2 }, 'sortOrder'],
  [{ sortOrder: 'up' }, 'sortOrder'],
  [{ defaultFilters: [] }, 'defaultFilters'],
  [{ fieldLimiters: { title: 2 } }, 'fieldLimiters'],
  [{ fieldLimiters: [] }, 'fieldLimiters'],
  [{ storeRevisions: 1 }, 'storeRevisions'],
  [{ revisionCollection: 5 }, 'revisionCollection'],
  [{ revisionCollection: 'cloister.x' }, 'revisionCollection'],
  [{ revisionCollection: 'books' }, 'revisionCollection'],
  [{ compose: 'some' }, 'compose'],
  [{ type: 1 }, 'type'],
  [{ signUploads: 'no' }, 'signUploads'],
  [{ displayName: {} }, 'displayName'],
  [{ index: 'title' }, 'index'],
  [{ hooks: 'slugify' }, 'hooks'],
])('the settings %j are rejected', (source, setting) => {
  expect(read(source).items).toMatchObject([{ section: 'settings', setting, field: setting }]);
});

test('settings without effect are accepted with a warning', () => {
  const fieldsOf = (source: JsonObject) => read(source).warnings.map(({ field }) => field);
  expect(fieldsOf({ sort: 'title' })).toEqual(['settings.sort']);
  expect(fieldsOf({ hooks: { create: ['x'] } })).toEqual(['settings.hooks']);
  expect(fieldsOf({ fieldLimiters: { a: 1, b: 0 } })).toEqual(['settings.fieldLimiters']);
  expect(fieldsOf({ type: 'gallery' })).toEqual(['settings.type']);
  expect(read({ type: 'medias' }).warnings[0]?.message).toContain('did you mean `media`?');
  expect(fieldsOf({ signUploads: true })).toEqual(['settings.signUploads']);
  expect(fieldsOf({ signUploads: true, type: 'media' })).toEqual([]);
  expect(fieldsOf({ signUploads: false })).toEqual([]);
});

test('fields that revisions cannot keep are warnings', () => {
  const fields = { action: {}, originalDocumentId: {} };
  const fieldsOf = (settings: JsonObject) => parse(fields, settings).warnings.map(({ field }) => field);
  expect(fieldsOf({ storeRevisions: true })).toEqual(['fields.action', 'fields.originalDocumentId']);
  expect(fieldsOf({})).toEqual([]);
});

test('_id may be excluded from an including limiter', () => {
  expect(mixesInclusion({ a: 1, _id: 0 })).toBe(false);
  expect(mixesInclusion({ a: 0, _id: 1 })).toBe(false);
  expect(mixesInclusion({ a: 0, b: 1 })).toBe(true);
  expect(mixesInclusion({})).toBe(false);
});
