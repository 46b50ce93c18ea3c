// Tokens in URLs: found by their form, and kept from logs and posted code.
import { describe, expect, it } from 'vitest';
import { hasTwoDots, isTokenShaped, redactTokens } from '../../../src/http/core/request-url.ts';

const TOKEN = `${'h'.repeat(36)}.${'p'.repeat(300)}.${'s'.repeat(43)}`;
const ENCODED = TOKEN.replaceAll('.', '%2E');

describe('isTokenShaped', () => {
  it('recognises tokens, percent-encoded ones too', () => {
    expect(isTokenShaped(TOKEN)).toBe(true);
    expect(isTokenShaped(ENCODED)).toBe(true);
  });

  it.each([
    'photo.min.jpg',
    `${'a'.repeat(240)}.b.c`,
    `${'a'.repeat(400)}.jpg`,
    '0123456789abcdef01234567',
    '',
  ])('does not take the name of a file for a token: %s', (name) => {
    expect(isTokenShaped(name)).toBe(false);
  });

  it('requires the length of a token, hasTwoDots does not', () => {
    expect([hasTwoDots('a.b.c'), hasTwoDots('a%2eb%2Ec'), hasTwoDots('a.b')]).toEqual([true, true, false]);
  });
});

describe('redactTokens', () => {
  it.each([
    [`/api/media/${TOKEN}`, '/api/media/<token>'],
    [`/api/media/${ENCODED}/`, '/api/media/<token>/'],
    [`http://host/1.0/library/images/${TOKEN}?a=b`, 'http://host/1.0/library/images/<token>?a=b'],
    [`/media/images/${TOKEN}#x`, '/media/images/<token>#x'],
    [`/${TOKEN}/${TOKEN}`, '/<token>/<token>'],
    [`/1.0/library/books?filter=${TOKEN}`, `/1.0/library/books?filter=${TOKEN}`],
    ['/1.0/library/books', '/1.0/library/books'],
    [`/${'a'.repeat(400)}`, `/${'a'.repeat(400)}`],
  ])('redacts %s', (url, shown) => {
    expect(redactTokens(url)).toBe(shown);
  });
});
