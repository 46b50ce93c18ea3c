// Single values of settings, as numbers and as texts.
import { describe, expect, it } from 'vitest';
import { parseSetting, settingNameOf } from '../../../src/delivery/recipes/setting-values.ts';

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
