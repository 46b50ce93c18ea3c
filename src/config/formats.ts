// Text formats that settings name: networks, origins, addresses of services, spans of time.
import { isIP } from 'node:net';
import ms from 'ms';
import type { TextFormat } from '../lib/json-schema.ts';

const NAMED_NETWORKS = new Set(['loopback', 'linklocal', 'uniquelocal']);
const SPAN = /^\d{1,9}(\.\d{1,3})? ?[a-z]{1,7}$/i;

/** An IP address, `address/prefix`, or the name of a private range as proxies are commonly configured with. */
function isNetwork(text: string): boolean {
  if (NAMED_NETWORKS.has(text)) return true;
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
}

/** `*`, or scheme, host and port with nothing behind, as browsers send it. */
function isOrigin(text: string): boolean {
  return text === '*' || (isHttpUrl(text) && new URL(text).origin === text);
}

/** A length of time with its unit, such as `10h` or `2 days`; a bare number would leave its unit to guesses. */
function isTimeSpan(text: string): boolean {
  if (!SPAN.test(text)) return false;
  const length: number | undefined = ms(text as ms.StringValue);
  return length !== undefined && length >= 1000;
}

/** Only the scheme and that there is a host: the driver reads the rest. */
function isMongoUri(text: string): boolean {
  return /^mongodb(?:\+srv)?:\/\/[^/\s]+(?:\/\S*)?$/.test(text);
}

export const FORMATS: Readonly<Record<string, TextFormat>> = {
  network: { test: isNetwork, message: 'must be an IP address or a network such as 10.0.0.0/8' },
  origin: { test: isOrigin, message: 'must be an origin such as https://example.org, or *' },
  'http-url': { test: isHttpUrl, message: 'must be an http or https URL' },
  'mongodb-uri': { test: isMongoUri, message: 'must be a mongodb:// or mongodb+srv:// connection string' },
  'time-span': { test: isTimeSpan, message: 'must be a span of time such as 10h' },
};
