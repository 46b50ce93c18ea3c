import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsePairs } from '../../../src/lib/http/parse-pairs.ts';
import { ROOT, sourceFiles } from '../../helpers/fixtures/source-tree.ts';

describe('the pairs of a query or form', () => {
  it.each([
    ['', []],
    [
      'a=1&a=2&b',
      [
        ['a', '1'],
        ['a', '2'],
        ['b', ''],
      ],
    ],
    ['?a=1', [['?a', '1']]],
    ['??=%3F', [['??', '?']]],
    ['a=b+c%20d', [['a', 'b c d']]],
  ])('of %j are %j', (text, pairs) => {
    expect([...parsePairs(text)]).toEqual(pairs);
  });

  it('are read by this function alone, as the constructor drops a question mark', () => {
    const others = sourceFiles('src')
      .map(({ path }) => path)
      .filter((path) => /new URLSearchParams\([^)]/.test(readFileSync(join(ROOT, path), 'utf8')));
    expect(others).toEqual(['src/lib/http/parse-pairs.ts']);
  });
});
