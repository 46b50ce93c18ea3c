// The facts about one visitor: the device and the languages that headers tell of, country and network by the address. Each is
// determined when it is first asked for, and recorded as consulted.
import { LRUCache } from 'lru-cache';
import { parseQualityList } from '../../lib/http/quality-list.ts';
import type { Lookup } from '../lookups/lookup.ts';
import type { Visitor, VisitorFact } from './delivery-types.ts';

/** Headers of each kind whose meaning is remembered: there are far fewer of them than visitors. */
const MAX_REMEMBERED = 5000;

/** The kinds of device that a condition can ask for. */
export const DEVICES: ReadonlySet<string> = new Set([
  ...['console', 'desktop', 'embedded', 'mobile', 'smarttv', 'tablet', 'wearable'],
]);

/** What a header does not tell, or tells in a word of its own, is a desktop. */
const DEFAULT_DEVICE = 'desktop';

/** Longer headers tell nothing more, and patterns run over all of it. */
const MAX_USER_AGENT_LENGTH = 1000;

/** Gives one of `DEVICES`. Never rejects for what a header says. */
export type DeviceDetector = (userAgent: string) => Promise<string>;

type Parse = (userAgent: string) => string | undefined;

/** Loaded on first use: the patterns take a while to compile. */
async function loadParser(): Promise<Parse> {
  const { UAParser } = await import('ua-parser-js');
  return (userAgent) => new UAParser(userAgent).getDevice().type;
}

/** Makes a detector that remembers the headers it saw last. */
export function createDeviceDetector(): DeviceDetector {
  const remembered = new LRUCache<string, string>({ max: MAX_REMEMBERED });
  let parser: Promise<Parse> | undefined;
  return async (userAgent) => {
    const text = userAgent.slice(0, MAX_USER_AGENT_LENGTH);
    const known = remembered.get(text);
    if (known !== undefined) return known;
    parser ??= loadParser();
    const type = (await parser)(text);
    const device = type !== undefined && DEVICES.has(type) ? type : DEFAULT_DEVICE;
    remembered.set(text, device);
    return device;
  };
}

const MAX_REMEMBERED_LANGUAGES_LENGTH = 300;

const RANGE = /^(?:\*|[a-z]{1,8}(?:[-_][a-z0-9]{1,8})*)$/i;

export interface AcceptedLanguage {
  /** In lower case, with `-` between its parts; `*` for any other. */
  readonly tag: string;
  /** Above 0, 1 at most. */
  readonly quality: number;
}

/** True for a language tag, whatever separates its parts, and for `*`. */
export const isLanguageRange = (text: string) => RANGE.test(text);

/** A language in the form in which tags are compared. */
export const normalizeLanguage = (text: string) => text.toLowerCase().replaceAll('_', '-');

/** The languages that an `Accept-Language` header accepts, best first. Malformed ones and those of weight 0 are left out. */
export function parseAcceptLanguage(header: string): readonly AcceptedLanguage[] {
  return parseQualityList(header)
    .flatMap(({ value, quality = 0 }) =>
      quality === 0 || !isLanguageRange(value) ? [] : [{ tag: normalizeLanguage(value), quality }],
    )
    .sort((a, b) => b.quality - a.quality);
}

/** What an Accept-Language header accepts. */
export type AcceptLanguageParser = (header: string) => readonly AcceptedLanguage[];

/** Makes a parser that caches the headers it saw last. */
export function createAcceptLanguageParser(): AcceptLanguageParser {
  const remembered = new LRUCache<string, readonly AcceptedLanguage[]>({ max: MAX_REMEMBERED });
  return (header) => {
    const known = remembered.get(header);
    if (known !== undefined) return known;
    const accepted = parseAcceptLanguage(header);
    if (header.length <= MAX_REMEMBERED_LANGUAGES_LENGTH) remembered.set(header, accepted);
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

/** How facts are found out. */
export interface VisitorFactSources {
  readonly device: DeviceDetector;
  readonly languages: AcceptLanguageParser;
  readonly country: Lookup;
  readonly network: Lookup;
}

/** Puts the lookups beside what headers tell. */
export function createVisitorFactSources({
  country,
  network,
}: Pick<VisitorFactSources, 'country' | 'network'>): VisitorFactSources {
  return { device: createDeviceDetector(), languages: createAcceptLanguageParser(), country, network };
}

/** The facts about one visitor, for the length of one request. */
export interface VisitorFacts {
  device(): Promise<string>;
  languages(): readonly AcceptedLanguage[];
  /** Undefined when it is not known. */
  country(): Promise<string | undefined>;
  /** As the service says it; undefined when it is not known. */
  network(): Promise<string | undefined>;
  /** Which of them were asked for. */
  readonly consulted: ReadonlySet<VisitorFact>;
  /** Seconds after which a failed lookup among these is tried again; undefined where none failed. */
  retrySeconds(): number | undefined;
}

/** Begins with nothing known. */
export function createVisitorFacts(visitor: Visitor, sources: VisitorFactSources): VisitorFacts {
  const consulted = new Set<VisitorFact>();
  let device: Promise<string> | undefined;
  let languages: readonly AcceptedLanguage[] | undefined;
  let country: Promise<string | undefined> | undefined;
  let network: Promise<string | undefined> | undefined;
  let retrySeconds: number | undefined;
  const onFailure = (seconds: number) => {
    retrySeconds = Math.min(seconds, retrySeconds ?? seconds);
  };
  return {
    consulted,
    retrySeconds: () => retrySeconds,
    device() {
      consulted.add('device');
      device ??= sources.device(visitor.userAgent);
      return device;
    },
    languages() {
      consulted.add('language');
      languages ??= sources.languages(visitor.acceptLanguage);
      return languages;
    },
    country() {
      consulted.add('country');
      country ??=
        visitor.country === undefined
          ? sources.country(visitor.ip, onFailure)
          : Promise.resolve(visitor.country);
      return country;
    },
    network() {
      consulted.add('network');
      network ??=
        visitor.network === undefined
          ? sources.network(visitor.ip, onFailure)
          : Promise.resolve(visitor.network);
      return network;
    },
  };
}

/** Two words for one thing: services say the one, route files the other. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([['mobile', 'cellular']]);

const canonical = (name: string) => SYNONYMS.get(name) ?? name;

/** The types that an answer names, in lower case: `Cable/DSL` is both. */
export function parseNetworks(answer: string): readonly string[] {
  const parts = answer.toLowerCase().split('/');
  return [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ''))];
}

/** Whether both name the same type. Both are in lower case. */
export const isSameNetwork = (a: string, b: string) => canonical(a) === canonical(b);
