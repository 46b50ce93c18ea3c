import { describe, expect, it } from 'vitest';
import { parseCallback, wrapJsonp } from '../../../src/http/documents/jsonp.ts';
import { collection } from '../fixtures.ts';

const name = (callback: string | undefined, byDefault: string | null = null) =>
  parseCallback(
    new Map(callback === undefined ? [] : [['callback', callback]]),
    collection('books', { settings: { callback: byDefault } }),
  );

describe('callbackName', () => {
  it('is the request’s, else the collection’s, else none', () => {
    expect(name('show')).toBe('show');
    expect(name('show', 'other')).toBe('show');
    expect(name(undefined, 'other')).toBe('other');
    expect(name(undefined)).toBeUndefined();
  });

  it.each(['', 'a.b', 'a1', 'alert(1)//', 'ä', '_a', 'a b', 'a'.repeat(101)])('may not be %j', (callback) => {
    expect(() => name(callback)).toThrow('Invalid parameter');
  });
});

describe('wrapCallback', () => {
  it('makes a call', async () => {
    expect(await wrapJsonp('show', '{"a":1}')).toBe('show({"a":1});');
  });

  it('escapes what older engines take for the end of a line', async () => {
    expect(await wrapJsonp('f', '"\u2028\u2029"')).toBe('f("\\u2028\\u2029");');
  });

  it('leaves a text in its pieces', async () => {
    expect(await wrapJsonp('f', ['["', '\u2028', '"]'])).toEqual(['f(', '["', '\\u2028', '"]', ');']);
  });
});
