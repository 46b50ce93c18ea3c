import { expect, it } from 'vitest';
import { StoreError } from '../../src/errors.ts';
import { parseStored } from '../../src/lib/stored-json.ts';

it('reads what is stored', () => {
  expect(parseStored('{"a":1}')).toEqual({ a: 1 });
});

it('calls a text that cannot be read damaged, and does not repeat it', () => {
  const read = () => parseStored('{"secret');
  expect(read).toThrow(StoreError);
  expect(read).toThrow(expect.objectContaining({ reason: 'damaged' }));
  expect(read).not.toThrow(/secret/);
});
