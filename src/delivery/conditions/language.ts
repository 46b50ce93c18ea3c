// The languages that an Accept-Language header asks for, as RFC 9110 writes them, and whether one of them is meant.
import { LRUCache } from 'lru-cache';

/** Headers of browsers have a hundred characters; what lies beyond this is not read. */
const MAX_HEADER_LENGTH = 4096;
const MAX_ITEMS = 100;

const MAX_REMEMBERED = 5000;
const MAX_REMEMBERED_LENGTH = 300;

const RANGE = /^(?:\*|[a-z]{1,8}(?:[-_][a-z0-9]{1,8})*)$/i;
/** Optional white space stands wherever the grammar has a separator. */
const ITEM = /^[ \t]*([^ \t;]+)[ \t]*(?:;[ \t]*q[ \t]*=[ \t]*([^ \t;]*)[ \t]*)?$/i;
const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

export interface AcceptedLanguage {
  /** In lower case, with `-` between its parts; `*` for any other. */
  readonly tag: string;
  /** Above 0, 1 at most. */
  readonly quality: number;
}

/** True for a language tag, whatever separates its parts, and for `*`. */
export const isLanguage = (text: string) => RANGE.test(text);

/** A language in the form in which tags are compared. */
export const normaliseLanguage = (text: string) => text.toLowerCase().replaceAll('_', '-');

function parseItem(item: string): AcceptedLanguage | undefined {
  const [, range = '', weight = '1'] = ITEM.exec(item) ?? [];
  if (!isLanguage(range) || !QUALITY.test(weight)) return undefined;
  const quality = Number(weight);
  return quality === 0 ? undefined : { tag: normaliseLanguage(range), quality };
}

/** What the header accepts, the best first; malformed items and those of quality 0 are left out. */
export function parseAcceptLanguage(header: string): readonly AcceptedLanguage[] {
  const items = header.slice(0, MAX_HEADER_LENGTH).split(',', MAX_ITEMS);
  return items
    .map(parseItem)
    .filter((item) => item !== undefined)
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
export function coversLanguage(wanted: string, tag: string): boolean {
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
