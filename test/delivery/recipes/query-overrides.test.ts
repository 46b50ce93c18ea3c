// What a query string may change.
import { describe, expect, it } from 'vitest';
import { parseRecipe, type Recipe } from '../../../src/delivery/recipes/recipe.ts';
import { effectiveSettings } from '../../../src/delivery/recipes/setting-values.ts';

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
