import { expect, test } from 'vitest';
import { parseSpecification } from '../../../src/collections/specifications/parse-specification.ts';
import { AppError } from '../../../src/errors/errors.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';

const ADDRESS = { version: '1.0', database: 'library', name: 'images' };

function parse(fields: JsonObject, type = 'media') {
  return parseSpecification({ fields, settings: { type } }, ADDRESS, { enableCollectionDatabases: false });
}

function itemsOf(fields: JsonObject) {
  try {
    parse(fields);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.items.map(({ section, field }) => `${section}.${field}`);
  }
}

test('a specification of the older dialect loads as it is, without a warning', () => {
  const fields = {
    fileName: { type: 'String', label: 'Title', required: true, validation: {} },
    path: { type: 'String', required: true, matchType: 'exact' },
    mimetype: { type: 'String', required: false },
    width: { type: 'Number' },
    height: {},
    contentLength: { type: 'Mixed' },
  };
  for (const type of ['media', 'mediaCollection']) {
    const { collection, warnings } = parse(fields, type);
    expect(warnings).toEqual([]);
    expect(collection.source['fields']).toEqual(fields);
    expect(collection.fields.get('contentLength')?.type).toBe('Number');
  }
});

test('a record field of another type is refused', () => {
  const fields = { path: { type: 'Number' }, width: { type: 'String' }, url: { type: 'Reference' } };
  expect(itemsOf(fields)).toEqual(['fields.path', 'fields.width', 'fields.url']);
});

test('a required record field that no record could have is refused', () => {
  const fields = {
    fileName: { required: true, validation: { minLength: 201 } },
    path: { required: true, validation: { maxLength: 0 } },
    mimetype: { required: true, validation: { minLength: 3 } },
  };
  expect(itemsOf(fields)).toEqual(['fields.fileName', 'fields.path']);
});

test('what has no effect on a record field is a warning', () => {
  const { warnings } = parse({
    width: { type: 'Number', required: true },
    path: { type: 'String', required: true, validation: { maxLength: 50 }, default: 'x' },
  });
  expect(warnings.map(({ field, message }) => [field, message.split(' ')[0]])).toEqual([
    ['fields.width', '`required`'],
    ['fields.path', '`validation`'],
    ['fields.path', '`default`'],
  ]);
});

test('in other collections these are names like any other', () => {
  const source = { fields: { path: { type: 'Number', required: true } }, settings: {} };
  const { collection } = parseSpecification(source, ADDRESS, { enableCollectionDatabases: false });
  expect(collection.fields.get('path')).toMatchObject({ type: 'Number', required: true });
});
