// The languages that an Accept-Language header asks for, as RFC 9110 writes them, and whether one of them is meant.
import { LRUCache } from 'lru-cache';
import { parseQualityList } from '../../lib/http/quality-list.ts';

const MAX_REMEMBERED = 5000;
const MAX_REMEMBERED_LENGTH = 300;

const RANGE = /^(?:\*|[a-z]{1,8}(?:[-_][a-z0-9]{1,8})*)$/i;

export interface AcceptedLanguage {
  /** In lower case, with `-` between its parts; `*` for any other. */
  readonly tag: string;
  /** Above 0, 1 at most. */
  readonly quality: number;
}

/** True for a language tag, whatever separates its parts, and for `*`. */
export const isLanguage = (text: string) => RANGE.test(text);

/** A language in the form in which tags are compared. */
export const normalizeLanguage = (text: string) => text.toLowerCase().replaceAll('_', '-');

/** The languages that an `Accept-Language` header accepts, best first. Malformed ones and those of weight 0 are left out. */
export function parseAcceptLanguage(header: string): readonly AcceptedLanguage[] {
  return parseQualityList(header)
    .flatMap(({ value, quality = 0 }) =>
      quality === 0 || !isLanguage(value) ? [] : [{ tag: normalizeLanguage(value), quality }],
    )
    .sort((a, b) => b.quality - a.quality);
}

/** What an Accept-Language header accepts. */
export type LanguageReader = (header: string) => readonly AcceptedLanguage[];

/** Makes a reader that remembers the headers it saw last: there are far fewer of them than visitors. */
export function createLanguageReader(): LanguageReader {
  const remembered = new LRUCache<string, readonly AcceptedLanguage[]>({ max: MAX_REMEMBERED });
  return (header) => {
    const known = remembered.get(header);
    if (known !== undefined) return known;
    const accepted = parseAcceptLanguage(header);
    if (header.length <= MAX_REMEMBERED_LENGTH) remembered.set(header, accepted);
    return accepted;
  };
}

/**
 * Whether the language of a condition covers one of a header: `en` covers `en-GB`, `zh-TW` covers `zh-Hant-TW`, `en-GB` does
 * not cover `en`. `*` covers `*` only: who accepts anything asks for nothing.
 */
export function matchesLanguage(wanted: string, tag: string): boolean {
  const [primary, ...subtags] = wanted.split('-');
  const [first, ...rest] = tag.split('-');
  if (primary !== first) return false;
  let at = 0;
  for (const subtag of rest) {
    if (at === subtags.length) return true;
    if (subtag === subtags[at]) at += 1;
    // Behind a single letter stand private words, which are no regions.
    else if (subtag.length === 1) return false;
  }
  return at === subtags.length;
}
