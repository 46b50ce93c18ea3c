import { expect, test } from 'vitest';
import {
  compilePatterns,
  createPatternCompiler,
} from '../../../src/collections/specifications/pattern-compiler.ts';
import type { Json } from '../../../src/lib/json/json.ts';

const field = (pattern: Json, flags: Json = '') => ({ validation: { regex: { pattern, flags } } });

test('the pattern compiler compiles what the linear-time engine takes, each pattern once', () => {
  const compiler = createPatternCompiler();
  const compiled = compiler.compile('^a', 'i');
  expect(compiled?.test('Ab')).toBe(true);
  expect(compiler.compile('^a', 'i')).toBe(compiled);
  expect(compiler.compile('^a', '')).not.toBe(compiled);
  expect(compiler.compile('(?=a)', '')).toBeUndefined();
});

test('the pattern compiler takes so many patterns of one specification, whatever they look like: the others run apart', () => {
  const compiler = createPatternCompiler();
  const slow = Array.from({ length: 100 }, (_, n) => `${'[\\D\\W]'.repeat(140)}${n}`);
  const taken = slow.filter((pattern) => compiler.compile(pattern, 'i') !== undefined);
  expect(taken).toEqual(slow.slice(0, taken.length));
  expect(taken.length).toBeGreaterThan(30);
  expect(taken.length).toBeLessThan(60);
});

test('the pattern compiler compiles the patterns of a specification beforehand, whatever else is in it', async () => {
  const fields = {
    a: field('^a', 'gi'),
    b: null,
    c: field(5),
    d: { validation: { regex: [] } },
    e: field('b', 7),
  };
  const compiler = await compilePatterns({ fields });
  expect(compiler.compile('^a', 'i')?.test('A')).toBe(true);
  for (const odd of [null, [], { fields: 5 }]) expect(await compilePatterns(odd)).toBeDefined();
});
