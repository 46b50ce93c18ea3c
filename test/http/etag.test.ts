import { describe, expect, it } from 'vitest';
import { documentTag, listTag, longTag, noneMatch } from '../../src/http/etag.ts';

describe('tags', () => {
  it('differ by body, and a document’s names its v', () => {
    expect(listTag('a')).toMatch(/^"l[\w-]{20,}"$/);
    expect(listTag('a')).not.toBe(listTag('b'));
    expect(documentTag(3, 'a')).toMatch(/^"3-[0-9a-z]{1,7}"$/);
    expect(documentTag(3, 'a')).not.toBe(documentTag(3, 'b'));
    expect(documentTag(3, 'a')).not.toBe(documentTag(4, 'a'));
  });
});

describe('the tag of a long text', () => {
  const pieces = ['é'.repeat(100_000), 'x', `😀${'y'.repeat(65_535)}😀`.repeat(3)];
  const whole = pieces.join('');

  it('is that of the same text in one', async () => {
    const bytes = Buffer.byteLength(whole);
    expect(await longTag(pieces)).toEqual({ tag: listTag(whole), bytes });
    expect(await longTag(whole)).toEqual({ tag: listTag(whole), bytes });
    expect(await longTag(pieces, 7)).toEqual({ tag: documentTag(7, whole), bytes });
  });
});

describe('noneMatch', () => {
  const tag = documentTag(3, 'body');

  it.each([
    ['the tag', tag],
    ['the tag, weak', `W/${tag}`],
    ['a list with it', `"x", W/${tag} ,"y"`],
    ['everything', '*'],
    ['everything with blanks', ' * '],
  ])('holds for %s', (_name, header) => {
    expect(noneMatch(header, tag)).toBe(true);
  });

  it.each([undefined, '', '"x"', '3', '"3"', tag.slice(1, -1)])('does not hold for %s', (header) => {
    expect(noneMatch(header, tag)).toBe(false);
  });
});
