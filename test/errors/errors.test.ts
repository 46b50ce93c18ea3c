// The catalogue of errors: complete, used, and carried faithfully by AppError.
import { describe, expect, it } from 'vitest';
import { createFilterError } from '../../src/collections/model/read-parameters.ts';
import { ERRORS } from '../../src/errors/error-catalogue.ts';
import {
  AppError,
  documentIssueOf,
  type ErrorCode,
  StoreError,
  toAppError,
} from '../../src/errors/errors.ts';
import { sourceFiles } from '../helpers/fixtures/source-tree.ts';

const CODES = Object.keys(ERRORS) as ErrorCode[];

describe('the catalogue', () => {
  it.each(CODES)('%s has a status, a message and an explanation', (code) => {
    const { status, message, explain } = ERRORS[code];
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(message).not.toBe('');
    expect(explain).toMatch(/\.$/);
  });

  it('says for every 503 after how many seconds to repeat the request', () => {
    const withoutSeconds = CODES.filter(
      (code) => ERRORS[code].status === 503 && !('retryAfter' in ERRORS[code]),
    );
    expect(withoutSeconds).toEqual([]);
  });

  it('has no code that nothing raises', () => {
    const code = sourceFiles('src')
      .filter(({ path }) => path !== 'src/errors/error-catalogue.ts')
      .map(({ text }) => text)
      .join('\n');
    expect(CODES.filter((name) => !code.includes(`'${name}'`))).toEqual([]);
  });
});

describe('AppError', () => {
  it('says what the catalogue says when the thrower adds nothing', () => {
    const error = new AppError('NOT_FOUND');
    expect(error).toMatchObject({ status: 404, code: 'NOT_FOUND', headers: {}, body: {} });
    expect(error.items).toEqual([{ message: ERRORS.NOT_FOUND.message, code: 'NOT_FOUND' }]);
  });

  it('takes a more precise message and names the field', () => {
    const error = new AppError('FILTER_INVALID', { message: 'is too deep', field: 'author.name' });
    expect(error.items).toEqual([{ field: 'author.name', message: 'is too deep', code: 'FILTER_INVALID' }]);
  });

  it('takes the status that a custom endpoint asked for', () => {
    expect(new AppError('ENDPOINT_ERROR', { status: 418 })).toMatchObject({
      status: 418,
      code: 'ENDPOINT_ERROR',
    });
  });

  it('has the `Retry-After` of the catalogue, unless the thrower knows better', () => {
    const retryAfterOf = (error: AppError) => error.headers['Retry-After'];
    expect(retryAfterOf(new AppError('ENDPOINT_SUSPENDED'))).toBe('60');
    expect(retryAfterOf(new AppError('STORE_BUSY', { retryAfter: 1 }))).toBe('1');
    expect(retryAfterOf(new AppError('STORE_BUSY', { headers: { 'Retry-After': '9' } }))).toBe('9');
    expect(retryAfterOf(new AppError('ENDPOINT_ERROR', { status: 503 }))).toBe('2');
    expect(retryAfterOf(new AppError('ENDPOINT_ERROR'))).toBeUndefined();
  });

  it('takes items, headers, members of the body and the cause as they are', () => {
    const cause = new Error('the reason');
    const items = [{ field: 'title', message: "can't be blank" }];
    const error = new AppError('DOCUMENT_INVALID', {
      items,
      headers: { a: 'b' },
      body: { results: [] },
      cause,
    });
    expect(error).toMatchObject({ items, headers: { a: 'b' }, body: { results: [] }, cause });
  });
});

describe('StoreError', () => {
  it('tells the reason, which write failed and which index it broke', () => {
    const error = new StoreError('duplicate', { index: 3, fields: ['email'] });
    expect(error).toMatchObject({ reason: 'duplicate', index: 3, fields: ['email'] });
    expect(new StoreError('busy')).toMatchObject({ index: undefined, fields: [] });
  });
});

describe('what an answer lists', () => {
  const items = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ field: `f${n}`, message: 'is wrong type' }));

  it('is a hundred items, and how many there are besides, or the only other one', () => {
    expect(new AppError('DOCUMENT_INVALID', { items: items(101) }).items).toEqual(items(101));
    const { items: shown } = new AppError('DOCUMENT_INVALID', { items: items(500_000) });
    expect(shown).toHaveLength(101);
    expect(shown.at(-1)).toEqual({
      message: '499900 more problems are not listed',
      code: 'DOCUMENT_INVALID',
    });
  });

  it('has names and messages of a bounded length', () => {
    const long = 'x'.repeat(1_000_000);
    const { items: shown } = new AppError('BAD_REQUEST', { field: `${'x'.repeat(999)}😀`, message: long });
    expect(shown[0]?.field).toBe(`${'x'.repeat(999)}\ufffd…`);
    expect(shown[0]?.message).toHaveLength(1001);
  });

  it('has details of a bounded length, as filters are refused with', () => {
    const [item] = createFilterError('a', `\`${'x'.repeat(1_000_000)}\` is no field`).items;
    expect([item?.message.length, item?.details?.length]).toEqual([1001, 1001]);
  });
});

describe('toAppError', () => {
  it('returns an AppError as it is', () => {
    const error = new AppError('NOT_FOUND');
    expect(toAppError(error)).toBe(error);
  });

  it.each([
    ['unavailable', 'STORE_UNAVAILABLE', 503],
    ['damaged', 'STORE_UNAVAILABLE', 503],
    ['failed', 'STORE_UNAVAILABLE', 503],
    ['in-use', 'STORE_UNAVAILABLE', 503],
    ['refused', 'STORE_UNAVAILABLE', 503],
    ['timeout', 'QUERY_TIMEOUT', 503],
    ['busy', 'STORE_BUSY', 503],
    ['conflict', 'STORE_BUSY', 503],
    ['duplicate', 'DOCUMENT_INVALID', 400],
    ['parallel-arrays', 'BAD_REQUEST', 400],
    ['index-conflict', 'SPECIFICATION_INVALID', 400],
    ['too-large', 'PAYLOAD_TOO_LARGE', 413],
    ['filter-too-large', 'PAYLOAD_TOO_LARGE', 413],
    ['too-much', 'RESULT_TOO_LARGE', 400],
  ] as const)('maps the store error `%s` to %s', (reason, code, status) => {
    const cause = new StoreError(reason);
    expect(toAppError(cause)).toMatchObject({ code, status, cause });
  });

  it('names each field that the store error names, with the position in the batch', () => {
    const error = new StoreError('duplicate', { fields: ['a', 'b'], index: 4 });
    expect(toAppError(error).items).toEqual([
      { field: 'a', message: 'must be unique', code: 'ERROR_UNIQUE', index: 4 },
      { field: 'b', message: 'must be unique', code: 'ERROR_UNIQUE', index: 4 },
    ]);
    const [item] = toAppError(new StoreError('parallel-arrays', { fields: ['a'] })).items;
    expect(item).toEqual({
      field: 'a',
      message: 'holds a list, as another field of the same index or sort does',
    });
  });

  it('passes on the explanation of the store, where the reason has no text of its own', () => {
    const explanation = 'a sentence for clients';
    expect(toAppError(new StoreError('refused', { explanation })).message).toBe(explanation);
    expect(toAppError(new StoreError('filter-too-large', { explanation })).message).toBe(
      'The filter is too large for the database',
    );
  });

  it('names the media store where that is the one which failed', () => {
    expect(toAppError(new StoreError('failed', { store: 'media' })).code).toBe('MEDIA_UNAVAILABLE');
    expect(toAppError(new StoreError('busy', { store: 'media' })).code).toBe('STORE_BUSY');
  });

  it('turns every other value into INTERNAL and keeps it as the cause', () => {
    const cause = Object.assign(new Error('secret'), { statusCode: 400 });
    expect(toAppError(cause)).toMatchObject({ code: 'INTERNAL', cause, message: 'Something went wrong' });
    expect(toAppError('text')).toMatchObject({ code: 'INTERNAL', cause: 'text' });
  });
});

describe('documentIssueOf', () => {
  it('has an item for each reason that a document can be the cause of', () => {
    expect(documentIssueOf('duplicate')).toEqual({ message: 'must be unique', code: 'ERROR_UNIQUE' });
    expect(documentIssueOf('parallel-arrays')?.message).toBe(
      'holds a list, as another field of the same index does',
    );
    expect(documentIssueOf('refused')?.code).toBe('ERROR_VALUE_INVALID');
    expect(documentIssueOf('timeout')).toBeUndefined();
  });
});
