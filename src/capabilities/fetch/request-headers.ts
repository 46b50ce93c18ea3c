// Headers of an outgoing request: those that the guest may set, then those of the grant.
import { FetchRefusedError } from '../../lib/egress/fetch-errors.ts';
import type { HeaderList } from '../../lib/egress/http-request.ts';
import type { FetchGrant } from '../../sandbox-supervisor/model/module-version.ts';

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const MAX_COUNT = 50;
const MAX_CHARACTERS = 16 * 1024;
const SECRET = 'secret:';

/** Headers of message framing and of the connection: only the server sets them. */
const FRAMING: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that identify the sender or another party: only a grant sets them. */
const GRANTED_ONLY =
  /^(?:accept-encoding|authorization|cookie2?|date|forwarded|host|origin|referer|via|x-forwarded-.*|x-real-ip|proxy-.*|sec-.*)$/;

/** Headers that are kept for another origin: the guest's other headers may be credentials. */
const CROSS_ORIGIN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-language',
  'content-type',
  'user-agent',
]);

/** The headers of a redirected request to another origin. */
export function crossOriginHeaders(headers: HeaderList): HeaderList {
  return headers.filter(([name]) => CROSS_ORIGIN_HEADERS.has(name));
}

/** The headers of a redirected request that loses its body. */
export function omitBodyHeaders(headers: HeaderList): HeaderList {
  return headers.filter(([name]) => !name.startsWith('content-'));
}

/** The guest's headers, names in lower case. Throws FetchRefused for more, larger or other ones than it may set. */
export function parseGuestHeaders(list: HeaderList, origin: string): HeaderList {
  const headers = list.map(([name, value]) => [name.toLowerCase(), value.trim()] as const);
  const characters = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  const fit = ([name, value]: readonly [string, string]) =>
    VALUE.test(value) && !FRAMING.has(name) && !GRANTED_ONLY.test(name);
  // Names are tested before they are lowered: a few letters outside ASCII become ASCII by that.
  const isValid = list.every(([name]) => TOKEN.test(name)) && headers.every(fit);
  if (!isValid || headers.length > MAX_COUNT || characters > MAX_CHARACTERS) {
    throw new FetchRefusedError('header', origin);
  }
  return headers;
}

function resolveSecret(value: string, secrets: Readonly<Record<string, string>>): string | undefined {
  if (!value.startsWith(SECRET)) return value;
  const name = value.slice(SECRET.length);
  return Object.hasOwn(secrets, name) ? secrets[name] : undefined;
}

/** The headers of a grant, its secrets filled in. Throws FetchRefused where the operator has not set a secret. */
export function resolveGrantHeaders(
  grant: FetchGrant,
  secrets: Readonly<Record<string, string>>,
  origin: string,
): HeaderList {
  return Object.entries(grant.headers).map(([written, text]) => {
    const name = written.toLowerCase();
    if (!TOKEN.test(written) || FRAMING.has(name)) throw new FetchRefusedError('header', origin);
    const value = resolveSecret(text, secrets);
    if (value === undefined || !VALUE.test(value)) throw new FetchRefusedError('secret', origin);
    return [name, value] as const;
  });
}
