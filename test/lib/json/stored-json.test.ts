import { expect, it, test } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import { documentVersion, parseStoredJson } from '../../../src/lib/json/stored-json.ts';

it('stored JSON is parsed', () => {
  expect(parseStoredJson('{"a":1}')).toEqual({ a: 1 });
});

it('stored text that is not JSON is an error that does not quote the text', () => {
  const read = () => parseStoredJson('{"secret');
  expect(read).toThrow(StoreError);
  expect(read).toThrow(expect.objectContaining({ reason: 'damaged' }));
  expect(read).not.toThrow(/secret/);
});

test('the version of a document is its `v`, or 0 if that is not a number', () => {
  expect(documentVersion({ v: 3 })).toBe(3);
  expect([{}, { v: null }, { v: '3' }, { v: [3] }].map(documentVersion)).toEqual([0, 0, 0, 0]);
});
