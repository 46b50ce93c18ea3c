// Recipes as they are posted and as old files have them.

import { describe, expect, it, test } from 'vitest';
import { parseRecipe, RECIPE_KIND } from '../../../src/delivery/recipes/recipe.ts';

const posted = (settings: unknown, more: object = {}) =>
  parseRecipe({ recipe: 'thumbnail', settings, ...more });
const errorsOf = (json: unknown, fileName?: string) =>
  parseRecipe(json, fileName).errors.map(({ message }) => message);

const NAME_RULE =
  'Recipe name must be 5 characters or longer and contain only uppercase and lowercase letters, dashes and underscores';

describe('a recipe', () => {
  it('of the older server loads unchanged', () => {
    const json = {
      recipe: 'sample-recipe',
      path: '/test',
      settings: {
        format: 'jpg',
        quality: '80',
        trim: '0',
        trimFuzz: '0',
        width: '1024',
        height: '768',
        cropX: '0',
        cropY: '0',
        ratio: '0',
        devicePixelRatio: '1',
        resizeStyle: '0',
        gravity: '0',
        filter: '0',
        blur: '0',
        strip: '0',
        rotate: '0',
        flip: '0',
      },
      plugins: ['duotone-plugin'],
    };
    const { recipe, errors, warnings } = parseRecipe(json, 'sample-recipe.json');
    expect(errors).toEqual([]);
    expect(recipe).toMatchObject({ name: 'sample-recipe', path: '/test', kind: 'image', document: json });
    expect(recipe?.settings).toEqual({
      format: ['jpg'],
      quality: 80,
      width: 1024,
      height: 768,
      cropX: 0,
      cropY: 0,
      devicePixelRatio: 1,
    });
    expect(warnings).toContainEqual({ message: 'property "plugins" has no effect', path: ['plugins'] });
    expect(warnings).toContainEqual({
      message: 'setting "filter" has no effect',
      path: ['settings', 'filter'],
    });
  });

  it('reads short names and numbers as texts', () => {
    const short = { fmt: 'webp,jpg', q: '70', w: '300', h: 200, dpr: '2', rx: '16-9', resize: 'AspectFit' };
    const more = {
      g: 'None',
      coords: '1,2,3,4',
      b: 0.5,
      sh: 2,
      sat: 0,
      r: 90,
      fl: 'xy',
      s: 1,
      t: 1,
      pg: 'true',
    };
    expect(posted({ ...short, ...more }).recipe?.settings).toEqual({
      format: ['webp', 'jpg'],
      quality: 70,
      width: 300,
      height: 200,
      devicePixelRatio: 2,
      ratio: 16 / 9,
      resizeStyle: 'aspectfit',
      gravity: 'northwest',
      crop: [1, 2, 3, 4],
      blur: 0.5,
      sharpen: 2,
      saturate: 0,
      rotate: 90,
      flip: 'xy',
      progressive: true,
    });
  });

  it('says what is wrong in the words of the older server', () => {
    expect(errorsOf({ recipe: 'thumbnail' })).toEqual(['Property "settings" not found in recipe']);
    expect(errorsOf({ settings: {} })).toEqual(['Property "recipe" not found in recipe']);
    expect(errorsOf({ recipe: 'four', settings: {} })).toEqual([NAME_RULE]);
    expect(errorsOf({})).toEqual([
      'Property "recipe" not found in recipe',
      'Property "settings" not found in recipe',
    ]);
  });

  it.each(['1abcd', 'a.bcd', '../../etc', 'thumb\n', 'a'.repeat(101), ['abcde'], 5, true])(
    'cannot have the name %j',
    (recipe) => expect(errorsOf({ recipe, settings: {} })).toEqual([NAME_RULE]),
  );

  it.each(['thumb', 'thumbnail-120', '_under', 'a'.repeat(100)])('can have the name %s', (recipe) => {
    expect(parseRecipe({ recipe, settings: {} }).recipe?.name).toBe(recipe);
  });

  it('cannot have a reserved name, in any case', () => {
    expect(errorsOf({ recipe: 'Token', settings: {} })).toEqual(['Recipe name is reserved']);
  });

  it('in a file takes the name of the file and may be short', () => {
    expect(parseRecipe({ settings: {} }, 'hd.json').recipe?.name).toBe('hd');
    expect(errorsOf({ recipe: 'css', settings: {} }, 'css.json')).toEqual(['Recipe name is reserved']);
    expect(errorsOf({ settings: {} }, 'a b.json')).toEqual([NAME_RULE]);
  });

  it.each<[object, RegExp]>([
    [{ widht: 3 }, /Setting "widht" is unknown/],
    [{ width: 'wide' }, /Setting "width" must be a number from 1 to 16384/],
    [{ width: -1 }, /width/],
    [{ width: 1e9 }, /width/],
    [{ quality: 101 }, /quality/],
    [{ quality: {} }, /quality/],
    [{ format: 'svg' }, /Setting "format" must be auto, json, or a list of/],
    [{ format: 'auto,jpg' }, /format/],
    [{ crop: '1,2,3' }, /crop/],
    [{ crop: '1,2,-3,4' }, /crop/],
    [{ ratio: '16' }, /ratio/],
    [{ ratio: '1000-1' }, /ratio/],
    [{ background: 'red' }, /background/],
    [{ flip: 'z' }, /flip/],
    [{ progressive: 'maybe' }, /progressive/],
    [{ w: 1, width: 2 }, /"width" is given twice/],
    [{ allowOverride: ['nonsense'] }, /allowOverride/],
    [{ allowOverride: 'width' }, /allowOverride/],
    [{ constructor: 1 }, /Setting "constructor" is unknown/],
    [{ format: 'js', width: 3 }, /Setting "width" is unknown/],
    [{ format: 'js', compress: 2 }, /compress/],
  ])('refuses the settings %j', (settings, message) => {
    const errors = errorsOf({ recipe: 'thumbnail', settings });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(message);
  });

  it('of the older server loads with members and settings that nobody reads, which are refused when posted', () => {
    const { recipe, errors } = posted({ width: 1, madeUp: 2 }, { description: 'x' });
    expect(recipe?.settings).toEqual({ width: 1 });
    expect(errors.map(({ path }) => path)).toEqual([['description'], ['settings', 'madeUp']]);
  });

  it('moves what the older server took to the nearest bound, with a warning', () => {
    const { recipe, warnings } = posted({ devicePixelRatio: 3.5, sharpen: 50, blur: 0.1 });
    expect(recipe?.settings).toEqual({ devicePixelRatio: 3, sharpen: 10, blur: 0.3 });
    expect(warnings).toHaveLength(3);
  });

  it.each([null, 5, 'text', [], [[]]])('is not %j', (json) => {
    expect(parseRecipe(json).recipe).toBeUndefined();
    expect(errorsOf(json)).toHaveLength(1);
  });

  it.each(['../up', '/a/../b', 'a\\b', 'https://host/../x', 'a\0b', {}])('refuses the path %j', (path) => {
    expect(posted({}, { path }).recipe).toBeUndefined();
  });

  it('for assets passes files through', () => {
    const json = { recipe: 'scripts', path: '/js', settings: { format: 'js', compress: '1' } };
    expect(parseRecipe(json).recipe).toMatchObject({ kind: 'asset', compress: true, settings: {} });
    const compressOf = (settings: object) => parseRecipe({ recipe: 'scripts', settings }).recipe?.compress;
    expect([{ format: 'js' }, { format: 'js', compress: 0 }, { width: 1 }].map(compressOf)).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('has another version only when it does something else', () => {
    const versionOf = (settings: object, more: object = {}) => posted(settings, more).recipe?.version;
    expect(versionOf({ width: 1, height: 2 })).toBe(versionOf({ h: '2', w: 1, filter: 'x' }));
    expect(versionOf({ width: 1 })).not.toBe(versionOf({ width: 2 }));
    expect(versionOf({ width: 1 })).not.toBe(versionOf({ width: 1 }, { path: 'a' }));
  });
});

test('a recipe without name is read: the name is looked at elsewhere', () => {
  const { value, issues } = RECIPE_KIND.parse({ settings: { width: 10 } });
  expect(value?.settings).toEqual({ width: 10 });
  expect(issues).toEqual([]);
});

test('a wrong setting is an error where it stands, and the recipe is none', () => {
  const { value, issues } = RECIPE_KIND.parse({ settings: { width: 'wide' } });
  expect(value).toBeUndefined();
  const message = 'Setting "width" must be a number from 1 to 16384';
  expect(issues).toEqual([{ severity: 'error', message, path: ['settings', 'width'] }]);
});

test('an unknown setting is an error, but the recipe works', () => {
  const { value, issues } = RECIPE_KIND.parse({ settings: { widht: 10 } });
  expect(value).toBeDefined();
  const message = 'Setting "widht" is unknown: did you mean `width`?';
  expect(issues).toEqual([{ severity: 'error', message, path: ['settings', 'widht'] }]);
});

test('a member without effect is a warning, and the recipe works', () => {
  const { value, issues } = RECIPE_KIND.parse({ settings: { width: 10 }, plugins: ['x'] });
  expect(value).toBeDefined();
  expect(issues).toEqual([
    { severity: 'warning', message: 'property "plugins" has no effect', path: ['plugins'] },
  ]);
});
