import { expect, it } from 'vitest';
import { createTextKeys } from '../../src/lib/text-keys.ts';

it('keys of equal objects are equal, those of others are not', () => {
  const keyOf = createTextKeys();
  const key = keyOf('books', { title: 'Emma' });
  expect(keyOf('books', { title: 'Emma' })).toBe(key);
  expect(keyOf('people', { title: 'Emma' })).not.toBe(key);
  expect(keyOf('books', { title: 'Persuasion' })).not.toBe(key);
  expect(keyOf('books', [])).not.toBe(keyOf('books', {}));
});

it('keys of one object stay what they are, however many prefixes it has', () => {
  const keyOf = createTextKeys();
  const object = { title: 'Emma' };
  const prefixes = Array.from({ length: 1000 }, (_, n) => `collection ${n}`);
  const first = prefixes.map((prefix) => keyOf(prefix, object));
  expect(new Set(first).size).toBe(prefixes.length);
  expect(prefixes.map((prefix) => keyOf(prefix, object))).toEqual(first);
});
