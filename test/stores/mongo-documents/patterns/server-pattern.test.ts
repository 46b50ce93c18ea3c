import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileLinearRegex } from '../../../../src/lib/regex/linear-regex.ts';
import { parsePattern } from '../../../../src/stores/mongo-documents/patterns/parse-pattern.ts';
import {
  serverPattern,
  serverPatterns,
} from '../../../../src/stores/mongo-documents/patterns/server-pattern.ts';
import { describeMongo, ownDatabase, rawClient } from '../../../helpers/mongo-servers.ts';

it('an unmatchable sequence has no pattern', () => {
  expect(serverPattern([{ kind: 'set', ranges: [[0xd800, 0xdfff]] }])).toBeUndefined();
  expect(serverPatterns([[{ kind: 'set', ranges: [] }]])).toEqual({ patterns: [], exact: true });
});

it('a pattern that is too long for the server is not sent', () => {
  const wide = Array.from({ length: 900 }, (_, n) => [n * 100, n * 100 + 50] as const);
  const sequence = Array.from({ length: 5 }, () => ({ kind: 'set' as const, ranges: wide }));
  expect(serverPatterns([sequence]).exact).toBe(false);
});

const PIECES = [
  'a',
  'B',
  '.',
  '^',
  '$',
  '[a-c]',
  '[^b]',
  '\\w',
  '\\W',
  '\\s',
  '\\b',
  '\\B',
  '(?:a|b)',
  'é',
  'ſ',
  'k',
];
const MARKS = ['', '', '', '?', '*', '+', '{2}'];
const TEXTS = [
  '',
  'a',
  'ab',
  'AB',
  'a\nb',
  'b\n',
  'é',
  'É',
  's',
  'K',
  '\u212a',
  'aab c',
  '\u2028',
  'a\r',
  '😀b',
  '_',
];

describeMongo('server patterns', ({ standalone }) => {
  it('match the same texts on the server as in this process', async () => {
    const texts = rawClient(await ownDatabase(standalone))
      .db()
      .collection('texts');
    await texts.insertMany(TEXTS.map((text) => ({ text })));
    const piece = fc
      .tuple(fc.constantFrom(...PIECES), fc.constantFrom(...MARKS))
      .map((parts) => parts.join(''));
    const pattern = fc
      .array(piece, { minLength: 1, maxLength: 4 })
      .map((pieces) => pieces.join(''))
      .chain((whole) => fc.constantFrom(whole, `${whole}|b`, `^(?:${whole})$`));
    const property = fc.asyncProperty(
      pattern,
      fc.constantFrom('', 'i', 'm', 's', 'ims'),
      async (source, flags) => {
        const { test } = compileLinearRegex(source, flags);
        const { patterns, exact } = serverPatterns(parsePattern(source, flags));
        const found = await texts.find({ text: { $in: patterns } }).toArray();
        const there = new Set(found.map((document) => document['text']));
        const expected = TEXTS.filter(test);
        if (exact) expect([...there].sort()).toEqual(expected.sort());
        else expect(expected.filter((text) => !there.has(text))).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });
});
