// Which variants the patterns of a flush mean.
import { describe, expect, it } from 'vitest';
import { canonicalQuery, createFlushMatcher } from '../../../src/delivery/variants/flush-pattern.ts';

const variant = (recipe: string, path: string, query = '') => ({
  ...{ contentType: 'image/png', width: 1, height: 1 },
  ...{ recipe, path, query },
});
const VARIANTS = {
  thumb: variant('thumb', 'a/b.jpg'),
  wide: variant('thumb', 'a/b.jpg', 'h=1&w=2'),
  large: variant('large', 'a/b.jpg'),
  other: variant('thumb', 'a/c d.jpg'),
};
const recipesOf = (name: string) =>
  name === 'by-device' ? ['thumb', 'large'] : name === 'thumb' ? ['thumb'] : [];

describe('the pattern of a flush', () => {
  it.each([
    ['*', ['thumb', 'wide', 'large', 'other']],
    ['/thumb/a/b.jpg', ['thumb', 'wide']],
    ['thumb/a/b.jpg', ['thumb', 'wide']],
    ['/thumb/a/b.jpg?w=2&h=1', ['wide']],
    ['/thumb/a/b.jpg?', ['thumb']],
    ['?w=2&h=1', ['wide']],
    ['/thumb/a/*', ['thumb', 'wide', 'other']],
    ['/thumb/*', ['thumb', 'wide', 'other']],
    ['/thumb*', ['thumb', 'wide', 'other']],
    ['/thumb/a/c%20d.jpg', ['other']],
    ['/by-device/a/b.jpg', ['thumb', 'wide', 'large']],
    ['/nothing/a/b.jpg', []],
    ['/thumb/a', []],
    ['/thumb/%zz', []],
  ])('of %s means %j', (pattern, names) => {
    const matches = createFlushMatcher(pattern, recipesOf);
    expect(Object.entries(VARIANTS).flatMap(([name, info]) => (matches(info) ? [name] : []))).toEqual(names);
  });

  it('does not depend on the order of parameters', () => {
    expect(canonicalQuery(new URLSearchParams('b=1&a=2'))).toBe('a=2&b=1');
  });
});
