import { expect, it } from 'vitest';
import { splitOutsideQuotes } from '../../../src/lib/http/split-list.ts';

it.each([
  ['', ['']],
  ['a', ['a']],
  ['a, b ,', ['a', ' b ', '']],
  ['a;x=",",b', ['a;x=","', 'b']],
  ['a;x="\\",",b', ['a;x="\\","', 'b']],
  ['"a,b', ['"a,b']],
  ['"a\\', ['"a\\']],
  ['a\\,b', ['a\\', 'b']],
])('the header %j has the members %j', (text, parts) => {
  expect(splitOutsideQuotes(text, ',')).toEqual(parts);
});

it('no more parts are made than asked for', () => {
  expect(splitOutsideQuotes('a;b;c', ';', 2)).toEqual(['a', 'b']);
  expect(splitOutsideQuotes('a;b', ';', 2)).toEqual(['a', 'b']);
});
