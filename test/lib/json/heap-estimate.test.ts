import { describe, expect, it } from 'vitest';
import {
  isShortForm,
  jsonFitsHeap,
  textFitsHeap,
  unscannedJsonFitsHeap,
} from '../../../src/lib/json/heap-estimate.ts';
import { scanJson } from '../../../src/lib/json/json-scan.ts';

const list = (item: string, count: number) => `[${`${item},`.repeat(count)}0]`;

describe('the estimate whether parsed JSON fits into half of the heap', () => {
  const fits = (text: string, heapMb: number) =>
    jsonFitsHeap(text, Buffer.byteLength(text), { heapMb, shape: scanJson(Buffer.from(text)) });

  it.each([
    ['numbers', list('0', 1_864_000), list('0', 1_865_000)],
    ['lists', list('[]', 500_000), list('[]', 501_000)],
    ['objects', list('{}', 404_000), list('{}', 405_000)],
    ['members', list('{"a":1}', 220_000), list('{"a":1}', 221_000)],
  ])('counts %s', async (_, most, more) => {
    expect([fits(most, 64), fits(more, 64)]).toEqual([true, false]);
    expect([await unscannedJsonFitsHeap(most, 64), await unscannedJsonFitsHeap(more, 64)]).toEqual([
      true,
      false,
    ]);
    expect(fits(more, 128)).toBe(true);
  });

  it('counts members whose names no other object has, which take long to be parsed', () => {
    const objects = (count: number) =>
      JSON.stringify(Array.from({ length: count }, (_, n) => ({ [`a${n}`]: 0, [`b${n}`]: 0, [`c${n}`]: 0 })));
    expect([fits(objects(15_000), 256), fits(objects(18_500), 256)]).toEqual([true, false]);
  });

  it('takes 10,000 pairs of a form, and 1 Mi characters', () => {
    const pairs = (count: number) => 'a&'.repeat(count - 1);
    expect([isShortForm(pairs(10_000)), isShortForm(pairs(10_001)), isShortForm('')]).toEqual([
      true,
      false,
      true,
    ]);
    expect([isShortForm('x'.repeat(1_048_576)), isShortForm('x'.repeat(1_048_577))]).toEqual([true, false]);
  });

  it('takes text for what it is, and weighs it', async () => {
    const text = '[{:,'.repeat(1_000_000);
    expect(await unscannedJsonFitsHeap(JSON.stringify(text), 64)).toBe(true);
    expect(await unscannedJsonFitsHeap(JSON.stringify(`"\\${text}`), 64)).toBe(true);
    expect(await unscannedJsonFitsHeap(`${JSON.stringify(text)}${text}`, 64)).toBe(false);
    expect(await unscannedJsonFitsHeap(JSON.stringify('x'.repeat(9_000_000)), 8)).toBe(false);
  });

  it('counts a text twice where a single character of it is wide', () => {
    const [narrow, wide] = ['x'.repeat(3_000_000), `${'x'.repeat(3_000_000)}\u4e2d`];
    const fitsInto8 = (text: string) => textFitsHeap(text, Buffer.byteLength(text), 8);
    expect([fitsInto8(narrow), fitsInto8(wide), fitsInto8(narrow + narrow)]).toEqual([true, false, false]);
  });

  it('takes no text that fits an isolate but not the host', () => {
    const [most, more] = ['x'.repeat(33_554_432), 'x'.repeat(33_554_433)];
    expect([textFitsHeap(most, most.length, 256), textFitsHeap(more, more.length, 256)]).toEqual([
      true,
      false,
    ]);
  });
});
