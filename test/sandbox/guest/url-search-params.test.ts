import { describe, expect, it } from 'vitest';
import { useLab } from '../lab/use-lab.ts';

const { value, thrown } = useLab();

describe('URLSearchParams', () => {
  it.each([
    ['"?a=1&b=%C3%BC+x&a=2&c"', 'a=1&b=%C3%BC+x&a=2&c='],
    ['{ a: 1, b: "x y" }', 'a=1&b=x+y'],
    ['[["a", 1], ["a", "2"]]', 'a=1&a=2'],
    ['new Map([["k", "v"]])', 'k=v'],
    ['new URLSearchParams("a=%zz")', 'a=%25zz'],
    ['undefined', ''],
  ])('is made of %s', async (init, text) => {
    expect(await value(`String(new URLSearchParams(${init}))`)).toBe(text);
  });

  it('reads', async () => {
    expect(
      await value(`(() => {
        const p = new URLSearchParams('a=1&b=2&a=3');
        const each = []; p.forEach((value, name, self) => each.push([name, value, self === p]));
        return [p.get('a'), p.get('x'), p.getAll('a'), p.has('b'), p.has('a', '3'), p.has('a', '4'), p.size,
          [...p], [...p.keys()], [...p.values()], each.length, each[0]];
      })()`),
    ).toEqual([
      ...['1', null, ['1', '3'], true, true, false, 3],
      ...[
        [
          ['a', '1'],
          ['b', '2'],
          ['a', '3'],
        ],
        ['a', 'b', 'a'],
        ['1', '2', '3'],
        3,
        ['a', '1', true],
      ],
    ]);
  });

  it('writes', async () => {
    expect(
      await value(`(() => {
        const p = new URLSearchParams('b=1&a=2&b=3');
        p.set('b', 9); p.set('n', 'x'); p.append('a', 5); p.delete('a', '2');
        const before = String(p);
        p.sort(); p.delete('b');
        return [before, String(p)];
      })()`),
    ).toEqual(['b=9&n=x&a=5', 'a=5&n=x']);
  });

  it('refuses items that are no pairs', async () => {
    expect(await thrown('new URLSearchParams(["ab", 1])')).toContain('TypeError');
  });

  it('reads lists by their items, whatever iterators have become', async () => {
    const code = `(() => {
      Array.prototype[Symbol.iterator] = () => { throw new Error('an iterator of the author'); };
      return String(new URLSearchParams([['a', 1], ['b', 2]]));
    })()`;
    expect(await value(code, { isolation: 'context' })).toBe('a=1&b=2');
  });

  it('takes 10,000 pairs, of whatever they are made', async () => {
    const pairs = 'Array.from({ length: count }, () => ["a", 1])';
    for (const init of [pairs, `new Set(${pairs})`]) {
      expect(await value(`((count) => new URLSearchParams(${init}).size)(10_000)`)).toBe(10_000);
      expect(await thrown(`((count) => new URLSearchParams(${init}))(10_001)`)).toContain('10000 pairs');
    }
    expect(
      await thrown('new URLSearchParams({ *[Symbol.iterator]() { for (;;) yield ["a", 1]; } })'),
    ).toContain('10000 pairs');
  });

  it('keeps names like any other', async () => {
    expect(await value("new URLSearchParams('__proto__=1&constructor=2').get('__proto__')")).toBe('1');
  });
});
