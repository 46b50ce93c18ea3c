import { expect, it } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import { parseStoredJson } from '../../../src/lib/json/stored-json.ts';

it('reads what is stored', () => {
  expect(parseStoredJson('{"a":1}')).toEqual({ a: 1 });
});

it('calls a text that cannot be read damaged, and does not repeat it', () => {
  const read = () => parseStoredJson('{"secret');
  expect(read).toThrow(StoreError);
  expect(read).toThrow(expect.objectContaining({ reason: 'damaged' }));
  expect(read).not.toThrow(/secret/);
});
