import { describe, expect, it } from 'vitest';
import { parseErrorList } from '../../../src/sandbox-supervisor/protocol/error-list.ts';

const entries = (count: number, entry: object) => JSON.stringify(Array.from({ length: count }, () => entry));

describe('a list of errors from a host', () => {
  it('may be absent', () => {
    expect(parseErrorList('')).toBeUndefined();
  });

  it('has plain items', () => {
    const item = {
      field: 'a',
      message: 'm',
      code: 'Invalid Parameter',
      title: 't',
      details: 'd',
      hookName: 'h',
      index: 0,
    };
    expect(parseErrorList(entries(101, item))).toEqual(Array.from({ length: 101 }, () => item));
    expect(parseErrorList('[{"message":"m","__proto__":{"field":"x"},"more":{}}]')).toEqual([
      { message: 'm' },
    ]);
  });

  it('has texts on one line, without what turns them around', () => {
    const [item] =
      parseErrorList(JSON.stringify([{ field: 'a\u202eb', message: 'no\r\nx: y\u0000\ud800' }])) ?? [];
    expect(item).toEqual({ field: 'a b', message: 'no x: y \ufffd' });
  });

  it.each([
    ['code', 'a\nb'],
    ['code', '<b>'],
    ['code', 5],
    ['index', -1],
    ['index', 1.5],
    ['index', '1'],
    ['index', 1_000_001],
  ])('loses a %s such as %j', (name, value) => {
    expect(parseErrorList(JSON.stringify([{ message: 'm', [name]: value }]))).toEqual([{ message: 'm' }]);
  });

  it.each([
    ['no JSON', '[{'],
    ['no list', '{"message":"m"}'],
    ['an empty list', '[]'],
    ['an entry that is no object', '["m"]'],
    ['an entry that is a list', '[[{"message":"m"}]]'],
    ['no message', '[{"field":"a"}]'],
    ['a message that is no text', '[{"message":1}]'],
    ['a field that is no text', '[{"message":"m","field":{}}]'],
    ['a long message', entries(1, { message: 'x'.repeat(1002) })],
    ['too many entries', entries(102, { message: 'm' })],
    [
      'a thousand members in an entry',
      JSON.stringify([Object.fromEntries([...Array(4000).keys()].map((n) => [`m${n}`, 1]))]),
    ],
    ['too deep a member', `[{"message":"m","a":${'['.repeat(500)}${']'.repeat(500)}}]`],
    ['too long a text', `[{"message":"m"${' '.repeat(66_000)}}]`],
  ])('is refused with %s', (_, text) => {
    expect(parseErrorList(text)).toBeNull();
  });
});
