// What browsers and proxies may keep of an answer, and for whom: `Cache-Control` and `Vary`.
import type { VisitorFact } from '../model/delivery-types.ts';

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

/** `Cache-Control` of an answer: `setting` is `delivery.cacheControl`. Where the address decided, only for the client itself. */
export function cacheControlHeader(setting: string, consulted: ReadonlySet<VisitorFact>): string {
  return consulted.has('country') || consulted.has('network') ? makePrivate(setting) : setting;
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
