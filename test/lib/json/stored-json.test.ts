import { expect, it } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import { parseStoredJson } from '../../../src/lib/json/stored-json.ts';

it('stored JSON is parsed', () => {
  expect(parseStoredJson('{"a":1}')).toEqual({ a: 1 });
});

it('stored text that is not JSON is an error that does not quote the text', () => {
  const read = () => parseStoredJson('{"secret');
  expect(read).toThrow(StoreError);
  expect(read).toThrow(expect.objectContaining({ reason: 'damaged' }));
  expect(read).not.toThrow(/secret/);
});
