import { describe, expect, it } from 'vitest';
import { useLab } from '../lab/use-lab.ts';

const { value, thrown } = useLab();

describe('structuredClone', () => {
  it('copies plain data deeply', async () => {
    const copied = await value(`(() => {
      const data = { a: [1, { b: 'x' }], n: null, u: undefined, big: String(structuredClone(10n)) };
      const copy = structuredClone(data);
      return [copy, copy !== data, copy.a !== data.a, copy.a[1] !== data.a[1], 'u' in copy];
    })()`);
    expect(copied).toEqual([{ a: [1, { b: 'x' }], n: null, big: '10' }, true, true, true, true]);
  });

  it('keeps cycles and shared objects', async () => {
    expect(
      await value(`(() => {
        const shared = {}; const data = { one: shared, two: shared }; data.self = data;
        const map = new Map(); map.set('me', map); const set = new Set(); set.add(set);
        const copy = structuredClone({ data, map, set });
        return [copy.data.self === copy.data, copy.data.one === copy.data.two, copy.map.get('me') === copy.map, copy.set.has(copy.set)];
      })()`),
    ).toEqual([true, true, true, true]);
  });

  it('copies what the language has of its own', async () => {
    expect(
      await value(`(() => {
        const c = structuredClone;
        const view = new Uint16Array([1, 2, 3]).subarray(1);
        const error = c(new RangeError('m', { cause: { a: 1 } }));
        return [
          c(new Date(5)).getTime(), String(c(/a/gi)), [...c(new Map([[{ k: 1 }, 'v']]))], [...c(new Set([1, 2]))],
          [...c(view)], c(view).constructor.name, c(new DataView(new ArrayBuffer(3), 1)).byteLength,
          c(new ArrayBuffer(4)).byteLength, typeof c(Object('x')), c(Object(2)) + 1, c(Object(true)).valueOf(),
          [error instanceof RangeError, error.message, error.cause], c(Object(3n)).toString(), c([1, , 2]).length, 1 in c([1, , 2]),
        ];
      })()`),
    ).toEqual([
      ...[5, '/a/gi', [[{ k: 1 }, 'v']], [1, 2], [2, 3], 'Uint16Array', 2, 4, 'object', 3, true],
      ...[[true, 'm', { a: 1 }], '3', 3, false],
    ]);
  });

  it.each([
    '() => 1',
    'Symbol()',
    'new WeakMap()',
    'Promise.resolve()',
    '{ a: [() => 1] }',
    'new Proxy({}, { get() { throw new Error("trap") } }).x',
  ])('refuses %s', async (code) => {
    expect(await thrown(`structuredClone(${code})`)).toMatch(/DataCloneError|trap/);
  });

  it('is not taken in by a tag that lies', async () => {
    expect(await thrown("structuredClone({ [Symbol.toStringTag]: 'Map' })")).toContain('TypeError');
    expect(await thrown('structuredClone({}, { transfer: [] })')).toContain('DataCloneError');
  });

  it('keeps a member named __proto__ as a member', async () => {
    expect(
      await value(
        `(() => { const copy = structuredClone(JSON.parse('{"__proto__":{"x":1}}')); return [Object.keys(copy), copy.x]; })()`,
      ),
    ).toEqual([['__proto__'], null]);
  });

  it('ends in a RangeError where the nesting is too deep', async () => {
    expect(
      await thrown(
        '(() => { let a = []; for (let i = 0; i < 100_000; i++) a = [a]; structuredClone(a); })()',
      ),
    ).toContain('RangeError');
  });
});
