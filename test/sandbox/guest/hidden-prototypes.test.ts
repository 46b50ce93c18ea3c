import { describe, expect, it } from 'vitest';
import { useLab } from '../lab/use-lab.ts';

const { value } = useLab();

describe('objects that no global name leads to', () => {
  it.each([
    '[].values()',
    'new Map().entries()',
    'new Set().values()',
    '""[Symbol.iterator]()',
    '"a".matchAll(/a/g)',
    'Object.getPrototypeOf((function* () {})())',
    'function* () {}',
    'Object.getPrototypeOf((async function* () {})())',
    'async function* () {}',
    'async () => {}',
    'Iterator.from({ next() {} })',
    '[].values().map((x) => x)',
    'Iterator.concat([])',
    'new Intl.Segmenter("en").segment("a")',
    'new Intl.Segmenter("en").segment("a")[Symbol.iterator]()',
    'new URLSearchParams("a=b").keys()',
  ])('are frozen all the way up from %s', async (code) => {
    const open = await value(`(() => {
      const open = [];
      for (let o = Object.getPrototypeOf(${code.startsWith('function') || code.startsWith('async') ? `(${code})` : code}); o !== null; o = Object.getPrototypeOf(o)) {
        if (!Object.isFrozen(o)) open.push(String(o));
      }
      return open;
    })()`);
    expect(open).toEqual([]);
  });

  it('include the accessors of errors and of strict arguments', async () => {
    expect(
      await value(`(() => {
        const captured = {}; Error.captureStackTrace(captured);
        let native; try { null.x; } catch (error) { native = error; }
        const functions = [];
        for (const [object, key] of [[new Error(), 'stack'], [new RangeError(), 'stack'], [captured, 'stack'], [native, 'stack'],
          [(function () { 'use strict'; return arguments; })(), 'callee'], [Function.prototype, 'caller'], [Function.prototype, 'arguments']]) {
          const { get, set } = Object.getOwnPropertyDescriptor(object, key) ?? {};
          if (get) functions.push(get); if (set) functions.push(set);
        }
        return [functions.length > 4, functions.filter((f) => !Object.isFrozen(f)).length];
      })()`),
    ).toEqual([true, 0]);
  });
});
