import { describe, expect, it } from 'vitest';
import { formFits, jsonFits, jsonTextFits } from '../../src/lib/body-weight.ts';
import { scanJson } from '../../src/lib/json-scan.ts';

const list = (item: string, count: number) => `[${`${item},`.repeat(count)}0]`;

describe('what fits into half of a heap', () => {
  const fits = (text: string, heapMb: number) => jsonFits(scanJson(Buffer.from(text)), heapMb);

  it.each([
    ['numbers', list('0', 2_090_000), list('0', 2_100_000)],
    ['lists', list('[]', 524_000), list('[]', 525_000)],
    ['objects', list('{}', 419_000), list('{}', 420_000)],
    ['members', list('{"a":1}', 230_000), list('{"a":1}', 240_000)],
  ])('counts %s', (_, most, more) => {
    expect([fits(most, 64), fits(more, 64)]).toEqual([true, false]);
    expect([jsonTextFits(most, 64), jsonTextFits(more, 64)]).toEqual([true, false]);
    expect(fits(more, 128)).toBe(true);
  });

  it('counts pairs of a form, for which there is no more room in a larger heap', () => {
    const pairs = (count: number) => 'a&'.repeat(count);
    expect([formFits(pairs(131_072), 64), formFits(pairs(131_073), 64)]).toEqual([true, false]);
    expect([formFits(pairs(131_073), 256), formFits(pairs(131_072), 8)]).toEqual([false, false]);
  });

  it('takes text for what it is', () => {
    const text = '[{:,'.repeat(1_000_000);
    expect(jsonTextFits(JSON.stringify(text), 64)).toBe(true);
    expect(jsonTextFits(JSON.stringify(`"\\${text}`), 64)).toBe(true);
    expect(jsonTextFits(`${JSON.stringify(text)}${text}`, 64)).toBe(false);
  });
});
