// Accept-Language headers as browsers, programs and attackers send them.
import { describe, expect, it } from 'vitest';
import {
  createAcceptLanguageParser,
  isLanguageRange,
  matchesLanguage,
  normalizeLanguage,
  parseAcceptLanguage,
} from '../../../src/delivery/model/visitor-facts.ts';

/** Whether a header asks for a language with this quality at least. */
const asksFor = (header: string, wanted: string, least: number) =>
  parseAcceptLanguage(header).some(
    ({ tag, quality }) => quality >= least && matchesLanguage(normalizeLanguage(wanted), tag),
  );

const FIREFOX = 'de,en-US;q=0.7,en;q=0.3';
const CHROME = 'en-GB,en-US;q=0.9,en;q=0.8,fr;q=0.7';

/** Header, language of the condition, least quality, whether it is met. */
const CASES: readonly (readonly [string, string, number, boolean])[] = [
  // What browsers and apps send.
  [FIREFOX, 'de', 1, true],
  [FIREFOX, 'en', 1, false],
  [FIREFOX, 'en', 0.7, true],
  [FIREFOX, 'en', 0.71, false],
  [FIREFOX, 'en-US', 0.5, true],
  [FIREFOX, 'en-GB', 0, false],
  [CHROME, 'en', 1, true],
  [CHROME, 'en-GB', 1, true],
  [CHROME, 'en-US', 1, false],
  [CHROME, 'fr', 0.7, true],
  [CHROME, 'es', 0, false],
  ['en-US', 'en', 1, true],
  ['zh-Hant-TW', 'zh', 1, true],
  ['zh-Hant-TW', 'zh-Hant', 1, true],
  ['zh-Hant-TW', 'zh-TW', 1, true],
  ['zh-Hant-TW', 'zh-Hans', 1, false],
  ['zh-CN,zh;q=0.9', 'zh-TW', 0, false],
  ['pt-BR,pt;q=0.9,en-US;q=0.8', 'pt', 1, true],
  ['pt-BR', 'pt-PT', 0, false],
  ['es-419,es;q=0.9', 'es-419', 1, true],
  ['sr-Latn-RS', 'sr', 1, true],
  ['gsw', 'gsw', 1, true],
  ['en;q=1.0, fr-FR;q=0.9', 'fr', 0.9, true],
  ['de-1996', 'de', 1, true],
  ['en-x-gb', 'en-gb', 1, false],
  // Case and separators.
  ['EN-gb', 'en', 1, true],
  ['en-gb', 'EN-GB', 1, true],
  ['en_US', 'en', 1, true],
  ['en_US', 'en-us', 1, true],
  ['en-US', 'en_US', 1, true],
  // A region asks for itself only, a longer word for nothing that begins like it.
  ['en', 'en-GB', 0, false],
  ['eng', 'en', 0, false],
  ['en', 'eng', 0, false],
  // White space around separators.
  ['en ; q=0.5', 'en', 0.5, true],
  ['en ; q=0.5', 'en', 1, false],
  ['en;\tq=0.5', 'en', 0.6, false],
  ['en; q=0.5', 'q', 0, false],
  // None inside of a weight.
  ['en; q = 0.5, fr', 'en', 0, false],
  ['en; q = 0.5, fr', 'fr', 1, true],
  ['  fr , en  ', 'en', 1, true],
  ['fr,\t en', 'en', 1, true],
  [',,en,,', 'en', 1, true],
  // Qualities.
  ['en;q=0', 'en', 0, false],
  ['en;q=0.000', 'en', 0, false],
  ['en;q=0.001', 'en', 0, true],
  ['en;q=0.001', 'en', 0.001, true],
  ['en;q=1.000', 'en', 1, true],
  ['en;q=1.', 'en', 1, true],
  ['en;Q=0.5', 'en', 0.5, true],
  ['en-GB;q=0, en', 'en-GB', 0, false],
  ['en-GB;q=0, en', 'en', 1, true],
  ['en;q=0.1, en', 'en', 1, true],
  // Malformed items are left out, the others stay.
  ['en;q=1.5', 'en', 0, false],
  ['en;q=-1', 'en', 0, false],
  ['en;q=0.1234', 'en', 0, false],
  ['en;q=high, fr', 'en', 0, false],
  ['en;q=high, fr', 'fr', 1, true],
  ['en;q=', 'en', 0, false],
  ['en;level=1', 'en', 0, false],
  ['en;q=0.5;q=1', 'en', 0, false],
  ['en-', 'en', 0, false],
  ['-en', 'en', 0, false],
  ['english1, fr', 'fr', 1, true],
  ['verylonglanguage', 'verylonglanguage', 0, false],
  ['<script>', 'en', 0, false],
  // Nothing asked for.
  ['', 'en', 0, false],
  ['   ', 'en', 0, false],
  [',', 'en', 0, false],
  // Whoever takes anything has asked for nothing.
  ['*', 'en', 0, false],
  ['*', '*', 1, true],
  ['en, *;q=0.5', 'fr', 0, false],
  ['en, *;q=0.5', '*', 0.5, true],
  ['en', '*', 0, false],
];

describe('a language condition', () => {
  it.each(CASES)('header `%s`, language %s, quality from %d: %s', (header, wanted, least, met) => {
    expect(asksFor(header, wanted, least)).toBe(met);
  });
});

describe('parseAcceptLanguage', () => {
  it('gives the best language first, and equals as they came', () => {
    expect(parseAcceptLanguage('fr;q=0.2, en-GB, de;q=0.8, it;q=0.8').map(({ tag }) => tag)).toEqual([
      ...['en-gb', 'de', 'it', 'fr'],
    ]);
  });

  it('reads no more of a header than one has', () => {
    expect(parseAcceptLanguage('en,'.repeat(100_000)).length).toBeLessThanOrEqual(100);
    expect(parseAcceptLanguage(`${' '.repeat(100_000)},fr`)).toEqual([]);
  });
});

describe('the Accept-Language parser', () => {
  it('parses a header once, and a very long one each time', () => {
    const read = createAcceptLanguageParser();
    expect(read('en, fr;q=0.5')).toEqual(parseAcceptLanguage('en, fr;q=0.5'));
    expect(read('en, fr;q=0.5')).toBe(read('en, fr;q=0.5'));
    const long = 'en, '.repeat(100);
    expect(read(long)).not.toBe(read(long));
  });
});

describe('isLanguageRange', () => {
  it.each(['en', 'en-GB', 'zh_Hant', '*', 'sr-Latn-RS'])('takes %s', (text) => {
    expect(isLanguageRange(text)).toBe(true);
  });

  it.each(['', 'en;q=1', 'en,fr', 'en-', '1', 'e n', 'en\n'])('refuses %j', (text) => {
    expect(isLanguageRange(text)).toBe(false);
  });
});
