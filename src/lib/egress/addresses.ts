// Which addresses of the internet a guarded request may reach: public ones, and those that the operator opens. And the parts of
// a URL by which destinations are compared: origin, host, port.
import { BlockList, isIP } from 'node:net';

/** What is not for everyone among IPv4 addresses, by the registry of special-purpose addresses (RFC 6890) and beyond. */
const CLOSED_V4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // The metadata services of most clouds, and the credentials of containers.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  // The host agent of one cloud has an address that looks public.
  ['168.63.129.16', 32],
];

/** Inside the global unicast addresses, what leads elsewhere: IETF protocols with Teredo, 6to4, documentation. */
const CLOSED_V6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const closed = new BlockList();
for (const [network, prefix] of CLOSED_V4) closed.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of CLOSED_V6) closed.addSubnet(network, prefix, 'ipv6');

// Everything else of IPv6 is closed: loopback, link-local, private, multicast, NAT64 and IPv4-compatible addresses.
const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');
const mapped = new BlockList();
mapped.addSubnet('::ffff:0:0', 96, 'ipv6');

/** True for an IP address that anyone on the internet could reach. An IPv4-mapped one counts as what it maps. */
export function isPublicAddress(address: string): boolean {
  // A zone says on which link an address is: such an address is not public.
  if (address.includes('%')) return false;
  const version = isIP(address);
  if (version === 4) return !closed.check(address, 'ipv4');
  if (version !== 6 || closed.check(address, 'ipv6')) return false;
  return global.check(address, 'ipv6') || mapped.check(address, 'ipv6');
}

/** The host name of a URL as a name or bare address: no brackets, no dot that ends a complete name. */
export function bareHostname(hostname: string): string {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}

/** The port of a URL, the scheme's own where it names none. */
export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** The origin of a URL, the dot that ends a complete name left out. */
export function originOf(url: URL): string {
  const hostname = bareHostname(url.hostname);
  const shown = hostname.includes(':') ? `[${hostname}]` : hostname;
  return `${url.protocol}//${shown}${url.port === '' ? '' : `:${url.port}`}`;
}

/** Says whether the operator opens a machine at a port. */
export type AllowedDestinations = (hostname: string, port: number) => boolean;

function entryOf(text: string): string | undefined {
  const port = /:(\d{1,5})$/.exec(text)?.[1];
  const url = port === undefined ? null : URL.parse(`http://${text}`);
  // Anything beyond a host and a port would be read as part of another one.
  if (url === null || url.href !== `${url.origin}/`) return undefined;
  return `${bareHostname(url.hostname)}:${Number(port)}`;
}

/** Reads `egress.allow`: texts such as `127.0.0.1:9000`, `[::1]:9000`, `internal.example:443`. Others open nothing. */
export function createAllowedDestinations(entries: readonly string[]): AllowedDestinations {
  const open = new Set(entries.map(entryOf));
  return (hostname, port) => open.has(`${hostname}:${port}`);
}
