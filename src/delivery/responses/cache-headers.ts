// What browsers and proxies may keep of an answer, and for whom: `Cache-Control` and `Vary`.
import type { RouteDecision, VisitorFact } from '../model/delivery-types.ts';

const HEADER_OF: Readonly<Record<VisitorFact, string | undefined>> = {
  device: 'User-Agent',
  language: 'Accept-Language',
  // Both follow from the address, which no header describes.
  country: undefined,
  network: undefined,
};

/** Names of the request headers that were looked at for these facts. */
export function consultedHeaders(consulted: ReadonlySet<VisitorFact>): readonly string[] {
  return [...consulted].flatMap((fact) => HEADER_OF[fact] ?? []).sort();
}

/** The same for shared caches to keep nothing of it. */
function makePrivate(cacheControl: string): string {
  const directives = cacheControl.split(',').map((directive) => directive.trim());
  const isShared = (directive: string) => /^(?:public|private|s-maxage|proxy-revalidate)\b/i.test(directive);
  return ['private', ...directives.filter((directive) => directive !== '' && !isShared(directive))].join(
    ', ',
  );
}

/** The same for copies to be kept no longer than so many seconds. */
function limitAge(cacheControl: string, seconds: number): string {
  const directives = cacheControl.split(',').map((directive) => directive.trim());
  if (directives.some((directive) => /^no-(?:store|cache)\b/i.test(directive))) return cacheControl;
  const ages = directives.map((directive) =>
    Number(/^max-age="?(\d+)"?$/i.exec(directive)?.[1] ?? Number.NaN),
  );
  const own = ages.find((age) => !Number.isNaN(age)) ?? Number.POSITIVE_INFINITY;
  const isAge = (directive: string) => /^(?:max-age|s-maxage|immutable|stale-[a-z-]+)\b/i.test(directive);
  const others = directives.filter((directive) => directive !== '' && !isAge(directive));
  return [...others, `max-age=${Math.min(own, Math.max(0, Math.floor(seconds)))}`].join(', ');
}

/**
 * `Cache-Control` of an answer: `setting` is `delivery.cacheControl`. Where the address decided, only for the client itself;
 * where a lookup failed, for `maxAge` seconds at most.
 */
export function cacheControlHeader(
  setting: string,
  { consulted, maxAge }: Pick<RouteDecision, 'consulted' | 'maxAge'>,
): string {
  const header = consulted.has('country') || consulted.has('network') ? makePrivate(setting) : setting;
  return maxAge === undefined ? header : limitAge(header, maxAge);
}

/** The `Vary` header; nothing where no request header was looked at. */
export function varyHeader(names: readonly string[]): Readonly<Record<string, string>> {
  return names.length === 0 ? {} : { Vary: [...new Set(names)].join(', ') };
}

/** Names that mean the same type. */
const SAME_TYPE: ReadonlyMap<string, string> = new Map([
  ['application/javascript', 'text/javascript'],
  ['application/x-javascript', 'text/javascript'],
  ['image/jpg', 'image/jpeg'],
]);

/** Reads `delivery.cacheControlByType`: `text/css: public, max-age=86400`. Of two for one type the last counts. */
export function parseCacheControlByType(entries: readonly string[]): ReadonlyMap<string, string> {
  const pairs = entries.map((entry): [string, string] => {
    const colon = entry.indexOf(':');
    const type = entry.slice(0, colon).trim().toLowerCase();
    return [SAME_TYPE.get(type) ?? type, entry.slice(colon + 1).trim()];
  });
  return new Map(pairs);
}
