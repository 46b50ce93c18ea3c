import { describe, expect, it } from 'vitest';
import { oneLine, visible } from '../../../src/endpoints/modules/author-text.ts';

describe('visible', () => {
  it('leaves ordinary text alone, in any script', () => {
    for (const text of ['plain', 'a\tb\nc', 'Größe 日本語 👩‍👩‍👧', '']) expect(visible(text)).toBe(text);
  });

  it('shows what cannot be seen', () => {
    expect(visible('\x1b[31m')).toBe('\\u{1b}[31m');
    expect(visible('\r\x7f\x85')).toBe('\\u{d}\\u{7f}\\u{85}');
    expect(visible('a\u202eb\u2066c\u200fd\u2028e\ufefff')).toBe(
      'a\\u{202e}b\\u{2066}c\\u{200f}d\\u{2028}e\\u{feff}f',
    );
    expect(visible('\u{e0041}')).toBe('\\u{e0041}');
    expect(visible('\ud800')).toBe('\ufffd');
  });
});

describe('oneLine', () => {
  it('is short, in one line', () => {
    expect(oneLine(' a\n b\tc ')).toBe('a b c');
    expect(oneLine('x'.repeat(301))).toBe(`${'x'.repeat(299)}…`);
    expect(oneLine('x'.repeat(300))).toHaveLength(300);
  });
});
