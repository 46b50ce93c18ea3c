// Single values of settings, as numbers and as texts.
import { describe, expect, it } from 'vitest';
import { parseRecipe, type Recipe } from '../../../src/delivery/recipes/recipe.ts';
import {
  effectiveSettings,
  parseSetting,
  settingNameOf,
} from '../../../src/delivery/recipes/setting-values.ts';

describe('a value of an image setting', () => {
  it.each([
    ['width', '12.9', 12],
    ['blur', '.5', 0.5],
    ['saturate', '0', 0],
    ['sharpen', '0', undefined],
    ['rotate', '-90', -90],
    ['format', 'JPEG', ['jpg']],
    ['format', 'webp, jpg ,jpeg', ['webp', 'jpg']],
    ['format', 'auto', 'auto'],
    ['gravity', 'NorthEast', 'northeast'],
    ['ratio', '4:3', 4 / 3],
    ['crop', [1, '2'], [1, 2]],
    ['background', 'FFeedd', '#ffeedd'],
    ['animated', 1, true],
    ['resizeStyle', '', undefined],
    ['resizeStyle', null, undefined],
  ] as const)('of %s, %j, is %j', (name, raw, value) => {
    expect(parseSetting(name, raw)).toEqual({ value });
  });

  it.each([
    ['width', '1e3'],
    ['width', 'Infinity'],
    ['width', Number.NaN],
    ['width', '9'.repeat(1000)],
    ['width', ['1']],
    ['crop', `1,${'2,'.repeat(1000)}`],
    ['gravity', 'constructor'],
    ['gravity', '__proto__'],
  ] as const)('of %s cannot be %.20j', (name, raw) => {
    expect(parseSetting(name, raw)).toHaveProperty('error');
  });

  it('belongs to a setting by its long or short name, and to none by one of the language', () => {
    expect(settingNameOf('w')).toBe('width');
    expect(settingNameOf('width')).toBe('width');
    expect(settingNameOf('constructor')).toBeUndefined();
    expect(settingNameOf('__proto__')).toBeUndefined();
  });
});

// What a query string may change.

const recipeOf = (settings: object): Recipe => parseRecipe({ recipe: 'thumbnail', settings }).recipe!;
const settingsOf = (recipe: Recipe, query: string) => effectiveSettings(recipe, new URLSearchParams(query));

describe('the image settings of a request', () => {
  it('are those of the recipe, whatever the query says', () => {
    const recipe = recipeOf({ width: 350 });
    expect(settingsOf(recipe, 'width=650&w=9&format=png&width=junk')).toEqual({ width: 350 });
  });

  it('change where the recipe allows it, by long and short names', () => {
    const recipe = recipeOf({ width: 350, quality: 70, allowOverride: ['width', 'dpr'] });
    expect(settingsOf(recipe, 'w=650&devicePixelRatio=2&q=5')).toEqual({
      width: 650,
      devicePixelRatio: 2,
      quality: 70,
    });
    expect(settingsOf(recipe, 'width=0')).toEqual({ quality: 70 });
  });

  it('do not depend on the order of the parameters', () => {
    const recipe = recipeOf({ allowOverride: ['width', 'height'] });
    const texts = ['w=1&h=2', 'h=2&w=1'].map((query) => JSON.stringify(settingsOf(recipe, query)));
    expect(texts[0]).toBe(texts[1]);
  });

  it.each(['w=wide', 'w=-1', 'w=1&width=2', 'w=1&w=1', 'w=99999'])('are refused with %s', (query) => {
    const recipe = recipeOf({ allowOverride: ['width'] });
    expect(() => settingsOf(recipe, query)).toThrow(
      expect.objectContaining({ code: 'PARAMETER_INVALID', status: 400 }),
    );
  });
});
