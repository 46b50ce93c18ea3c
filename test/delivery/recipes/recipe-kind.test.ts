import { expect, test } from 'vitest';
import { RECIPES } from '../../../src/delivery/recipes/recipe-kind.ts';

test('a recipe without name is read: the name is looked at elsewhere', () => {
  const { value, findings } = RECIPES.parse({ settings: { width: 10 } });
  expect(value?.settings).toEqual({ width: 10 });
  expect(findings).toEqual([]);
});

test('a wrong setting is an error where it stands, and the recipe is none', () => {
  const { value, findings } = RECIPES.parse({ settings: { width: 'wide' } });
  expect(value).toBeUndefined();
  const message = 'Setting "width" must be a number from 1 to 16384';
  expect(findings).toEqual([{ severity: 'error', message, path: ['settings', 'width'] }]);
});

test('an unknown setting is an error, but the recipe works', () => {
  const { value, findings } = RECIPES.parse({ settings: { widht: 10 } });
  expect(value).toBeDefined();
  const message = 'Setting "widht" is unknown';
  expect(findings).toEqual([{ severity: 'error', message, path: ['settings', 'widht'] }]);
});

test('a member without effect is a warning, and the recipe works', () => {
  const { value, findings } = RECIPES.parse({ settings: { width: 10 }, plugins: ['x'] });
  expect(value).toBeDefined();
  expect(findings).toEqual([
    { severity: 'warning', message: 'property "plugins" has no effect', path: ['plugins'] },
  ]);
});
