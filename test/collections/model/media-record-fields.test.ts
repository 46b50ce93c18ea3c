import { expect, test } from 'vitest';
import {
  isInEveryRecord,
  missingFileIssue,
  recordFieldType,
  stripRecordFields,
} from '../../../src/collections/model/media-record-fields.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { collectionOf } from '../library-service.ts';

const mediaOf = (fields: JsonObject) => collectionOf('images', { fields, settings: { type: 'media' } });
const NAMES = [
  ...['fileName', 'originalFileName', 'mimetype', 'width', 'height'],
  ...['path', 'contentLength', 'cloudUrl', 'url'],
];

test('a media collection has every record field, declared or not, and no client owes it one', () => {
  const bare = mediaOf({ alt: {} });
  expect([...bare.fields.keys()]).toEqual(['alt', ...NAMES]);
  expect(bare.fields.get('width')).toMatchObject({ type: 'Number', required: false });
  const old = mediaOf({ path: { type: 'String', required: true }, width: { default: 3, type: 'Number' } });
  expect(old.fields.get('path')).toMatchObject({ required: false, caseSensitive: false });
  expect(old.fields.get('width')).toMatchObject({ default: undefined });
  expect(collectionOf('books', { fields: { title: {} } }).fields.has('path')).toBe(false);
});

test('names of files are looked up as others are, and what names one file minds the case', () => {
  const { fields } = mediaOf({ alt: {}, url: { matchType: 'ignoreCase' } });
  const exact = [...fields.values()].filter((field) => field.caseSensitive).map(({ name }) => name);
  expect(exact).toEqual(['path', 'cloudUrl']);
});

test('types are known of record fields alone, and of whatever may look like one', () => {
  expect([recordFieldType('height'), recordFieldType('url')]).toEqual(['Number', 'String']);
  expect([recordFieldType('alt'), recordFieldType('constructor')]).toEqual([undefined, undefined]);
  expect([isInEveryRecord('path'), isInEveryRecord('width'), isInEveryRecord('alt')]).toEqual([
    true,
    false,
    false,
  ]);
});

test('a document is stripped of record fields and keeps everything else', () => {
  const plain = { alt: 'x' };
  expect(stripRecordFields(plain)).toBe(plain);
  expect(stripRecordFields({ ...plain, path: 'a', url: 'b', width: null })).toEqual(plain);
});

test('the error names the file that is missing, also in a document that holds the record', () => {
  expect(missingFileIssue()).toEqual({ field: 'file', message: 'must be specified' });
  expect(missingFileIssue('cover.').field).toBe('cover.file');
});
