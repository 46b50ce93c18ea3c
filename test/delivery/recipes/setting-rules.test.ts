// The table of settings holds together.
import { expect, it } from 'vitest';
import {
  SETTING_ALIASES,
  SETTING_RULES,
  SETTINGS_WITHOUT_EFFECT,
} from '../../../src/delivery/recipes/setting-rules.ts';

it('no name of an image setting has two meanings', () => {
  const names = [...Object.keys(SETTING_RULES), ...Object.keys(SETTING_ALIASES), ...SETTINGS_WITHOUT_EFFECT];
  expect(new Set(names).size).toBe(names.length);
});

it('the old word for no gravity means the upper left corner', () => {
  expect(SETTING_RULES.gravity).toMatchObject({ words: { none: 'northwest', south: 'south' } });
});
