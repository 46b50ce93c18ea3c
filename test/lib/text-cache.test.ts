import { expect, it } from 'vitest';
import { createTextCache } from '../../src/lib/text-cache.ts';

it('a text cache remembers short texts, and forgets those that were used least recently', () => {
  const cache = createTextCache<object>({ max: 2, maxCharacters: 3 });
  const [a, b, c] = [{}, {}, {}];
  cache.set('a', a);
  cache.set('b', b);
  expect(cache.get('a')).toBe(a);
  cache.set('c', c);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([a, undefined, c]);
  cache.set('long', a);
  expect(cache.get('long')).toBeUndefined();
});
