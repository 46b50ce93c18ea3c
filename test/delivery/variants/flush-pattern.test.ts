// Which variants the patterns of a flush mean.
import { describe, expect, it } from 'vitest';
import { parseRecipe, type Recipe } from '../../../src/delivery/recipes/recipe.ts';
import { canonicalSettings } from '../../../src/delivery/recipes/setting-values.ts';
import { originalAddress, sourceIdOf } from '../../../src/delivery/sources/original-path.ts';
import { canonicalPath, createFlushMatcher } from '../../../src/delivery/variants/flush-pattern.ts';
import type { VariantInfo } from '../../../src/delivery/variants/variant-store.ts';

const recipe = (name: string, settings: object, path?: string) =>
  parseRecipe({ recipe: name, settings, ...(path !== undefined && { path }) }).recipe as Recipe;

const RECIPES = [
  recipe('thumb', { width: 8, allowOverride: ['width', 'height'] }),
  recipe('large', { width: 900 }),
  recipe('below', { width: 9 }, '/deep'),
  recipe('other-host', { width: 9 }, 'http://host/pics'),
];
const ROUTES: Readonly<Record<string, readonly string[]>> = { 'by-device': ['thumb', 'large'] };

const find = (name: string) => RECIPES.find((one) => one.name === name);
const recipesOf = (name: string) => {
  const found = (ROUTES[name] ?? [name]).flatMap((each) => find(each) ?? []);
  return found.length === 0 ? undefined : found;
};
const NAMES = {
  recipe: find,
  recipesOf,
  plain: () => undefined,
  recipesLike: (prefix: string) =>
    [...Object.keys(ROUTES), ...RECIPES.map(({ name }) => name)].flatMap((name) =>
      name.startsWith(prefix) ? (recipesOf(name) ?? []) : [],
    ),
};

/** What is kept of a request for `/{recipe}/{rest}?{query}`, or for the plain file `/{rest}`. */
function kept(name: string, rest: string, query = ''): VariantInfo {
  const by = find(name);
  const address = originalAddress(rest, by?.path);
  if (address === undefined) throw new Error(`no address: ${rest}`);
  const settings = by === undefined ? '' : canonicalSettings(by, new URLSearchParams(query));
  return {
    contentType: 'image/png',
    width: 1,
    height: 1,
    recipe: name,
    path: canonicalPath(rest),
    source: sourceIdOf(address),
    settings: settings ?? '',
  };
}

const matchesOf = (pattern: string) => {
  const matches = createFlushMatcher(pattern, NAMES);
  return (info: VariantInfo) => matches === 'all' || matches(info);
};

const variants = {
  thumb: kept('thumb', 'a/b.jpg'),
  wide: kept('thumb', 'a/b.jpg', 'h=1&w=2'),
  large: kept('large', 'a/b.jpg'),
  other: kept('thumb', 'a/c%20d.jpg'),
  style: kept('', 'a/b.css'),
  top: kept('', 'top.css'),
};

describe('the pattern of a flush', () => {
  it.each([
    ['*', ['thumb', 'wide', 'large', 'other', 'style', 'top']],
    ['/thumb/a/b.jpg', ['thumb', 'wide']],
    ['thumb/a/b.jpg', ['thumb', 'wide']],
    ['/th%75mb/a/b.jpg', ['thumb', 'wide']],
    ['/thumb/a/b.jpg?w=2&h=1', ['wide']],
    ['/thumb/a/b.jpg?', ['thumb']],
    ['?w=2&h=1', ['wide']],
    ['?', ['thumb', 'large', 'other']],
    ['?x=1', []],
    ['?w=x', []],
    ['/thumb/a/*', ['thumb', 'wide', 'other']],
    ['/thumb/*', ['thumb', 'wide', 'other']],
    ['/thumb*', ['thumb', 'wide', 'other']],
    ['/by-dev*', ['thumb', 'wide', 'large', 'other']],
    ['/thumb/a/c%20d.jpg', ['other']],
    ['/thumb/a/c%2*', []],
    ['/by-device/a/b.jpg', ['thumb', 'wide', 'large']],
    ['/nothing/a/b.jpg', []],
    ['/a/b.css', ['style']],
    ['/a/*', ['style']],
    ['/top.css', ['top']],
    ['/to*', ['top']],
    ['/thumb/a', []],
    ['/thumb/%zz', []],
    ['', []],
  ])('%s means %j', (pattern, names) => {
    const matches = matchesOf(pattern);
    expect(Object.entries(variants).flatMap(([name, info]) => (matches(info) ? [name] : []))).toEqual(names);
  });
});

it.each([
  ['/a/b.jpg', ['thumb', 'wide']],
  ['/a/b.jpg?w=2&h=1', ['wide']],
  ['/a/*', ['thumb', 'wide', 'other', 'style']],
  ['/a/b.css', ['style']],
  ['/large/a/b.jpg', ['large']],
])('the recipe of plain images gives its variants to plain paths: %s means %j', (pattern, names) => {
  const matcher = createFlushMatcher(pattern, { ...NAMES, plain: () => find('thumb') });
  const found = Object.entries(variants).filter(([, info]) => matcher === 'all' || matcher(info));
  expect(found.map(([name]) => name)).toEqual(names);
});

/** Spellings of one address: what is kept of any of them is found by a request for any other. */
const SPELLINGS = [
  ['thumb', ['a.png?w=40', 'a.png?width=40', 'a.png?w=040&x=1', 'a.png?w=40.0', 'a.png?h=&w=%2040']],
  ['thumb', ['a.png', 'a.png?w=8', 'a.png?width=08', '%61.png', '%61.png?v=3']],
  ['large', ['a.png', 'a.png?w=40', 'a.png?anything']],
  [
    'thumb',
    [
      'http://host/b.png',
      'http:/host/b.png',
      'HTTP://HOST/b.png',
      'http://host:80/b.png',
      'http:///host/%62.png',
      'http://host/x/../b.png',
    ],
  ],
  ['thumb', ['http://host/%c3%a9.png', 'http://host/%C3%A9.png', 'http://host/é.png']],
  ['below', ['a.png', '%61.png']],
  ['other-host', ['b.png', 'http://host/pics/b.png', 'HTTP:/Host/pics/%62.png']],
] as const;

describe.each(SPELLINGS)('below %s, of the spellings %j', (name, spellings) => {
  it('a flush of each removes what a request for any of them left', () => {
    for (const requested of spellings) {
      const [rest = '', query] = requested.split('?');
      for (const pattern of spellings) {
        const isFound = matchesOf(`/${name}/${pattern}`)(kept(name, rest, query));
        expect(`${pattern} of ${requested}: ${isFound}`).toBe(`${pattern} of ${requested}: true`);
      }
    }
  });
});

it.each([
  ['thumb', 'a/b.png'],
  ['thumb', 'http://host/a/b.png'],
  ['thumb', 'HTTP:/Host/a/b.png'],
  ['other-host', 'a/b.png'],
])('below %s, every beginning of %s with a star removes what a request for it left', (name, rest) => {
  for (let length = 0; length <= rest.length; length += 1) {
    const pattern = `/${name}/${rest.slice(0, length)}*`;
    expect(`${pattern}: ${matchesOf(pattern)(kept(name, rest))}`).toBe(`${pattern}: true`);
  }
});

it('a flush pattern means a file whatever the normal form of its name', () => {
  const [composed, decomposed] = ['caf%C3%A9/u%CC%88.png', 'cafe%CC%81/%C3%BC.png'] as const;
  for (const [pattern, rest] of [
    [composed, decomposed],
    [decomposed, composed],
  ]) {
    expect(matchesOf(`/thumb/${pattern}`)(kept('thumb', rest ?? ''))).toBe(true);
  }
});
