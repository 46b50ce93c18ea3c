// Specifications of the older servers, up to the last of them: what they declare is kept, or reported with what would be right.
import { describe, expect, it } from 'vitest';
import { DEFAULT_BUCKET } from '../../../src/collections/specifications/older-fields.ts';
import { parseSpecification } from '../../../src/collections/specifications/parse-specification.ts';
import { parseSpecificationText } from '../../../src/collections/specifications/specification-files.ts';
import { validateDocument } from '../../../src/collections/validation/validate-document.ts';
import { findSetting } from '../../../src/config/setting-names.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { BOOKS_ADDRESS, itemsOf } from '../../helpers/fixtures/specifications.ts';

const shared = { enableCollectionDatabases: false };
const read = (fields: JsonObject, settings: JsonObject = {}) =>
  parseSpecification({ fields, settings }, BOOKS_ADDRESS, shared);
const fieldOf = (field: JsonObject) => read({ a: field }).collection.fields.get('a');
const warningsOf = (field: JsonObject) => read({ a: field }).warnings.map(({ message }) => message);
const issuesOf = (field: JsonObject) => itemsOf(() => read({ a: field })).map(({ message }) => message);

/** The codes with which these values of the field are refused; null for one that is taken. */
function verdicts(field: JsonObject, ...values: Json[]) {
  const { collection } = read({ a: field });
  return values.map((a) => validateDocument(collection, { a }, 'create').issues[0]?.code ?? null);
}

describe('the types of the older servers', () => {
  it.each([
    ['Array', 'Mixed'],
    ['Date', 'DateTime'],
  ])('%s is read as %s, without a word', (type, meant) => {
    expect(fieldOf({ type })).toMatchObject({ type: meant });
    expect(warningsOf({ type })).toEqual([]);
  });

  it.each([
    [{}, 'mediaStore'],
    [{ settings: { mediaBucket: 'images' } }, 'images'],
    [{ settings: { bucket: 'files' } }, 'files'],
    [{ settings: { collection: 'pictures' } }, 'pictures'],
  ])('a Media field with %j refers to %s', (more, collection) => {
    expect(fieldOf({ type: 'Media', ...more })).toMatchObject({
      type: 'Reference',
      reference: { collection },
    });
  });

  it('others are refused by name', () => {
    expect(issuesOf({ type: 'Some type' })[0]).toContain('`Some type` is not a type');
  });
});

describe('the format of a DateTime', () => {
  it('is ISO 8601 text unless it says otherwise', () => {
    for (const format of ['iso', null]) {
      expect(fieldOf({ type: 'DateTime', format })).toMatchObject({ type: 'DateTime' });
      expect(warningsOf({ type: 'DateTime', format })).toEqual([]);
    }
  });

  it('unix takes and keeps whole milliseconds', () => {
    const field = { type: 'DateTime', format: 'unix' };
    expect(verdicts(field, 1_525_168_800_000, -1, 1.5, '2018-05-01', 'x')).toEqual([
      ...[null, null, 'ERROR_INTEGER', 'ERROR_VALUE_INVALID', 'ERROR_VALUE_INVALID'],
    ]);
    expect(warningsOf(field)).toEqual([]);
    const early = { ...field, validation: { before: '2018-01-01' } };
    expect(verdicts(early, 1_525_168_800_000, 0)).toEqual(['ERROR_BEFORE', null]);
  });

  it.each(['YYYY-MM-DD', 7])('%s is reported, with what would be right', (format) => {
    expect(warningsOf({ type: 'DateTime', format })).toEqual([
      expect.stringMatching(/has no effect: .*`unix`/),
    ]);
  });

  it('is no attribute of other types', () => {
    expect(warningsOf({ type: 'String', format: 'iso' })).toEqual([
      '`format` is no attribute and has no effect',
    ]);
  });
});

describe('the rules of later versions', () => {
  it('before and after bound dates, each exclusive', () => {
    const field = { type: 'DateTime', validation: { after: '2020-01-01', before: '2021-01-01T00:00:00Z' } };
    expect(
      verdicts(field, '2020-01-01', '2020-01-01T00:00:00.001Z', '2020-12-31', '2021-01-01', 'x', null),
    ).toEqual(['ERROR_AFTER', null, null, 'ERROR_BEFORE', 'ERROR_VALUE_INVALID', null]);
  });

  it('integer takes whole numbers, in lists too', () => {
    expect(verdicts({ type: 'Number', validation: { integer: true } }, 1, 1.5, -2)).toEqual([
      null,
      'ERROR_INTEGER',
      null,
    ]);
    expect(verdicts({ type: 'Mixed', validation: { integer: true } }, [1, 2], [1, 2.5])).toEqual([
      null,
      'ERROR_INTEGER',
    ]);
    expect(verdicts({ type: 'Number', validation: { integer: false } }, 1, 1.5)).toEqual([null, null]);
  });

  it('tells the author what a value must be, in the words of the field where it has some', () => {
    const { collection } = read({
      a: { type: 'Number', validation: { integer: true } },
      b: { type: 'Number', message: 'Whole, please', validation: { integer: true } },
    });
    expect(validateDocument(collection, { a: 0.5, b: 0.5 }, 'create').issues).toEqual([
      {
        field: 'a',
        message: 'must be a whole number',
        code: 'ERROR_INTEGER',
        details: 'expected a whole number',
      },
      { field: 'b', message: 'Whole, please', code: 'ERROR_INTEGER', details: 'expected a whole number' },
    ]);
  });

  it.each([
    [{ before: 'soon' }, '`validation.before` must be ISO 8601'],
    [{ after: true }, '`validation.after` must be ISO 8601'],
    [{ integer: 'yes' }, '`validation.integer` must be true or false'],
    [{ after: '2021-01-01', before: '2020-01-01' }, '`validation.after` leaves nothing'],
  ])('%j is refused', (validation, message) => {
    expect(issuesOf({ type: 'DateTime', validation })[0]).toContain(message);
  });

  it('have no effect beside validation', () => {
    expect(warningsOf({ type: 'Number', integer: true })[0]).toContain('belongs in `validation`');
  });
});

describe('the settings of later versions', () => {
  it.each([true, false, 'all', 2, 0])('compose may be %s', (compose) => {
    expect(read({ a: {} }, { compose }).collection.settings.compose).toBe(compose);
    expect(fieldOf({ type: 'Reference', settings: { compose } })?.reference.compose).toBe(Boolean(compose));
  });

  it.each(['some', -1, 1.5, null, []])('compose may not be %j', (compose) => {
    const settings = itemsOf(() => read({ a: {} }, { compose }));
    const field = issuesOf({ type: 'Reference', settings: { compose } });
    expect([settings[0]?.message, field[0]]).toEqual([
      'must be true or false, a number of levels, or `all`',
      expect.stringContaining('a number of levels, or `all`'),
    ]);
  });

  it('may be missing in a file, and nothing else may be in their place', () => {
    const { collection } = parseSpecification(
      parseSpecificationText('{"fields":{"a":{}}}'),
      BOOKS_ADDRESS,
      shared,
    );
    expect(collection.settings.pageSize).toBe(40);
    for (const settings of ['null', '[]', '1']) {
      const source = parseSpecificationText(`{"fields":{"a":{}},"settings":${settings}}`);
      expect(itemsOf(() => parseSpecification(source, BOOKS_ADDRESS, shared))).toMatchObject([
        { section: 'settings' },
      ]);
    }
  });
});

it('A Media field that names no bucket has the one that the settings have by default', () => {
  expect(DEFAULT_BUCKET).toBe(findSetting('media.defaultBucket')?.leaf.default);
});
