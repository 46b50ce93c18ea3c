// Text formats of settings: networks, origins, URLs of services, durations.
import { isIP } from 'node:net';
import { isIssuerName } from '../lib/client-names.ts';
import { isDuration } from '../lib/duration.ts';
import type { TextFormat } from '../lib/json/json-schema.ts';
import { readPublicKey } from '../lib/public-key.ts';

const NAMED_NETWORKS = new Set(['loopback', 'linklocal', 'uniquelocal']);

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

/** Scheme, host and perhaps a port, as the operator would write them: a slash behind them does no harm. */
function isHttpOrigin(text: string): boolean {
  return isHttpUrl(text) && new URL(text).href === `${new URL(text).origin}/`;
}

/** The URL of a server: no credentials, which belong into settings that are secret, and nothing behind the host. */
function isServiceUrl(text: string): boolean {
  if (!isHttpUrl(text)) return false;
  const { username, password, pathname, search, hash } = new URL(text);
  return username + password + search + hash === '' && pathname === '/';
}

const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

/**
 * Where an issuer publishes its keys: whoever can change that answer on its way can sign in as anyone, so it must be https unless
 * it never leaves this machine. Private networks are fine: it is the operator who names the address.
 */
function isKeysUrl(text: string): boolean {
  if (!isHttpUrl(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  return username + password + hash === '' && (protocol === 'https:' || LOOPBACK.test(hostname));
}

/** What every service of this kind takes as the name of a bucket. */
function isBucketName(text: string): boolean {
  return /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(text) && !text.includes('..') && isIP(text) === 0;
}

/** Only the scheme and that there is a host: the driver reads the rest. */
function isMongoUri(text: string): boolean {
  return /^mongodb(?:\+srv)?:\/\/[^/\s]+(?:\/\S*)?$/.test(text);
}

/** Scheme, host, and nothing that the driver does not know. */
function isRedisUrl(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    (url.protocol === 'redis:' || url.protocol === 'rediss:') &&
    url.hostname !== '' &&
    /^(\/\d{0,5})?$/.test(url.pathname)
  );
}

export const SETTING_FORMATS: Readonly<Record<string, TextFormat>> = {
  network: { test: isNetwork, message: 'must be an IP address or a network such as 10.0.0.0/8' },
  origin: { test: isOrigin, message: 'must be an origin such as https://example.org, or *' },
  'http-origin': {
    test: isHttpOrigin,
    message: 'must be a scheme, a host and perhaps a port, such as https://images.example.com',
  },
  'http-url': { test: isHttpUrl, message: 'must be an http or https URL' },
  'service-url': {
    test: isServiceUrl,
    message:
      'must be the http or https URL of a host, without path or credentials, such as https://s3.example.org',
  },
  'issuer-name': {
    test: isIssuerName,
    message: 'must be 1 to 50 letters, digits and -',
  },
  'keys-url': {
    test: isKeysUrl,
    message:
      'must be an https URL without credentials, such as https://login.example.org/jwks; http only on localhost, 127.0.0.1 or [::1]',
  },
  'public-key': {
    test: (text) => readPublicKey(text) !== undefined,
    message:
      'must be a public key in PEM (-----BEGIN PUBLIC KEY-----): RSA of 2048 bits or more, EC on P-256, or Ed25519',
  },
  'claim-path': {
    test: (text) => text.split('.').every((segment) => segment !== ''),
    message: 'must be names with dots between them',
  },
  'bucket-name': {
    test: isBucketName,
    message: 'must be the name of a bucket: 3 to 63 of a-z, 0-9, `-` and `.`',
  },
  'mongodb-uri': { test: isMongoUri, message: 'must be a mongodb:// or mongodb+srv:// connection string' },
  'redis-url': { test: isRedisUrl, message: 'must be a redis:// or rediss:// address' },
  'time-span': {
    test: isDuration,
    message: 'must be a span of time such as 10h, from a second to 30 days',
  },
};
