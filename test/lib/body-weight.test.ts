import { describe, expect, it } from 'vitest';
import { fitsHeap } from '../../src/lib/body-weight.ts';

const list = (item: string, count: number) => `[${`${item},`.repeat(count)}0]`;

describe('fitsHeap', () => {
  it.each([
    ['numbers', list('0', 2_090_000), list('0', 2_100_000)],
    ['lists', list('[]', 524_000), list('[]', 525_000)],
    ['objects', list('{}', 419_000), list('{}', 420_000)],
    ['members', list('{"a":1}', 230_000), list('{"a":1}', 240_000)],
  ])('counts %s', (_, most, more) => {
    expect([fitsHeap('json', most, 64), fitsHeap('json', more, 64)]).toEqual([true, false]);
    expect(fitsHeap('json', more, 128)).toBe(true);
  });

  it('counts pairs of a form, for which there is no more room in a larger heap', () => {
    const pairs = (count: number) => 'a&'.repeat(count);
    expect([fitsHeap('form', pairs(131_072), 64), fitsHeap('form', pairs(131_073), 64)]).toEqual([
      true,
      false,
    ]);
    expect([fitsHeap('form', pairs(131_073), 256), fitsHeap('form', pairs(131_072), 8)]).toEqual([
      false,
      false,
    ]);
  });

  it('takes text for what it is', () => {
    const text = '[{:,'.repeat(1_000_000);
    expect(fitsHeap('json', JSON.stringify(text), 64)).toBe(true);
    expect(fitsHeap('json', JSON.stringify(`"\\${text}`), 64)).toBe(true);
    expect(fitsHeap('json', `${JSON.stringify(text)}${text}`, 64)).toBe(false);
    expect(fitsHeap('text', text, 8)).toBe(true);
    expect(fitsHeap('none', '', 8)).toBe(true);
  });
});
