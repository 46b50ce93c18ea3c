import { describe, expect, it } from 'vitest';
import { AppError, documentIssueOf, StoreError, toAppError } from '../../src/errors/errors.ts';

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
