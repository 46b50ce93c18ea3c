import { describe, expect, it } from 'vitest';
import {
  computeLongEtag,
  documentEtag,
  listEtag,
  matchesIfNoneMatch,
} from '../../../src/http/documents/etag.ts';

describe('tags', () => {
  it('differ by body, and a document’s names its v', () => {
    expect(listEtag('a')).toMatch(/^"l[\w-]{20,}"$/);
    expect(listEtag('a')).not.toBe(listEtag('b'));
    expect(documentEtag(3, 'a')).toMatch(/^"3-[0-9a-z]{1,7}"$/);
    expect(documentEtag(3, 'a')).not.toBe(documentEtag(3, 'b'));
    expect(documentEtag(3, 'a')).not.toBe(documentEtag(4, 'a'));
  });
});

describe('the tag of a long text', () => {
  const pieces = ['é'.repeat(100_000), 'x', `😀${'y'.repeat(65_535)}😀`.repeat(3)];
  const whole = pieces.join('');

  it('is that of the same text in one', async () => {
    const bytes = Buffer.byteLength(whole);
    expect(await computeLongEtag(pieces)).toEqual({ tag: listEtag(whole), bytes });
    expect(await computeLongEtag(whole)).toEqual({ tag: listEtag(whole), bytes });
    expect(await computeLongEtag(pieces, 7)).toEqual({ tag: documentEtag(7, whole), bytes });
  });
});

describe('noneMatch', () => {
  const tag = documentEtag(3, 'body');

  it.each([
    ['the tag', tag],
    ['the tag, weak', `W/${tag}`],
    ['a list with it', `"x", W/${tag} ,"y"`],
    ['everything', '*'],
    ['everything with blanks', ' * '],
  ])('holds for %s', (_name, header) => {
    expect(matchesIfNoneMatch(header, tag)).toBe(true);
  });

  it.each([undefined, '', '"x"', '3', '"3"', tag.slice(1, -1)])('does not hold for %s', (header) => {
    expect(matchesIfNoneMatch(header, tag)).toBe(false);
  });
});
