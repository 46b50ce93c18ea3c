import { describe, expect, it, onTestFinished } from 'vitest';
import { createUndeclaredNameFinder, findUndeclaredNames } from '../../src/workers/undeclared-names.ts';

describe('findUndeclared', () => {
  it('finds each name once, at its first assignment', () => {
    const source = ['let a = 1', 'count = 0', 'function f() {', '  count += 1; b = a', '}'].join('\n');
    expect(findUndeclaredNames(source)).toEqual([
      { name: 'count', line: 2 },
      { name: 'b', line: 4 },
    ]);
  });

  it.each([
    ['plain declarations', 'var a; let b; const c = 1; function d() {} class E {}\na = b = 1; d = 2; E = 3'],
    [
      'parameters and destructuring',
      'module.exports = (x, { y = 2 }, ...z) => { x = 1; y = 2; z = 3; [x, y] = z }',
    ],
    ['loops', 'for (let i = 0; i < 3; i += 1) i += 1; for (const k in {}) k; for (var v of []) v = 1'],
    ['catch', 'try {} catch (error) { error = 1 }'],
    [
      'what a module is given',
      'module = 1; exports = {}; require = 2; console = 3; Model = 4; setTimeout = 5',
    ],
    ['members', 'module.exports.a = 1; this.b = 2; exports.c = 3'],
    ['reading', 'module.exports = unknown + typeof other'],
    ['a return at the top, a hashbang', '#!/usr/bin/env node\nreturn 1'],
    ['text that is no code', 'this is } not { code'],
    ['ES modules', 'export const a = 1; b = 2'],
  ])('finds nothing in %s', (_, source) => {
    expect(findUndeclaredNames(source)).toEqual([]);
  });

  it('finds names in destructuring, loops and updates', () => {
    expect(findUndeclaredNames('[a, { b }] = []; for (c of []) d++').map(({ name }) => name)).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
  });

  it('knows names that objects have anyway', () => {
    expect(findUndeclaredNames('constructor = 1; __proto__ = 2').map(({ name }) => name)).toEqual([
      'constructor',
      '__proto__',
    ]);
  });

  it('stops at twenty', () => {
    const source = Array.from({ length: 100 }, (_, index) => `n${index} = 1`).join('\n');
    expect(findUndeclaredNames(source)).toHaveLength(20);
  });

  it('survives nesting that no parser survives', () => {
    expect(findUndeclaredNames('('.repeat(200_000))).toEqual([]);
    expect(findUndeclaredNames(`${'['.repeat(5000)}${']'.repeat(5000)}; a = 1`)).toBeInstanceOf(Array);
  });
});

/** More than the slowest machine needs to start a thread. */
const PATIENT_MS = 60_000;

function open(limitMs?: number) {
  const names = createUndeclaredNameFinder(limitMs);
  onTestFinished(() => names.close());
  return names;
}

describe('undeclared names', () => {
  it('are found on a thread', async () => {
    expect(await open(PATIENT_MS).find('a = 1')).toEqual([{ name: 'a', line: 1 }]);
  });

  it('are not looked for longer than allowed, and the next text is', async () => {
    const names = open(300);
    const long = Array.from({ length: 300_000 }, (_, index) => `b${index} = function () { c = 1 }`).join(
      '\n',
    );
    expect(await names.find(long)).toEqual([]);
    await expect.poll(() => names.find('c = 1')).toEqual([{ name: 'c', line: 1 }]);
  });

  it('are not looked for in more texts than wait', async () => {
    const names = open(PATIENT_MS);
    const found = await Promise.all(Array.from({ length: 40 }, () => names.find('a = 1')));
    expect(found.filter((some) => some.length === 1).length).toBeGreaterThanOrEqual(16);
  });

  it('close without having been used', async () => {
    await expect(createUndeclaredNameFinder().close()).resolves.toBeUndefined();
  });
});
