// Resolves the address of a client behind trusted proxies. Headers of anybody else are ignored.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { splitOutsideQuotes } from '../../lib/http/split-list.ts';
import type { HttpConfig } from '../core/http-deps.ts';

/** Addresses read of a header, which may have 32 KB. */
const MAX_HOPS = 100;

const NAMED_NETWORKS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

const FOR_PARAMETER = /^for\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s"]*))$/i;
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** An address without port, brackets and zone; an IPv4-mapped one as IPv4. Undefined for anything else. */
export function normalizeAddress(text: string): string | undefined {
  const [, bracketed] = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text) ?? [];
  const [, withPort] = /^([\d.]+):\d{1,5}$/.exec(text) ?? [];
  const [address = ''] = (bracketed ?? withPort ?? text).split('%', 1);
  if (isIP(address) === 0) return undefined;
  return MAPPED_IPV4.exec(address)?.[1] ?? address;
}

/** The address that an element of `Forwarded` names, none where it names several: the word of one proxy is one address. */
function addressOfElement(element: string): string | undefined {
  const named = splitOutsideQuotes(element, ';').flatMap((pair) => {
    const [, quoted, bare] = FOR_PARAMETER.exec(pair.trim()) ?? [];
    return quoted === undefined && bare === undefined ? [] : [quoted?.replace(/\\(.)/g, '$1') ?? bare ?? ''];
  });
  return named.length === 1 ? normalizeAddress(named[0] ?? '') : undefined;
}

/** The addresses of a `Forwarded` header, the nearest last; undefined for an element without one. */
function parseForwarded(header: string): readonly (string | undefined)[] {
  const elements = splitOutsideQuotes(header, ',').filter((element) => element.trim() !== '');
  return elements.slice(-MAX_HOPS).map(addressOfElement);
}

const joinHeader = (header: string | string[] | undefined) =>
  Array.isArray(header) ? header.join(',') : header;

/** The addresses of the proxy headers. `Forwarded` (RFC 7239) wins over `X-Forwarded-For`. */
function parseHops({ headers }: Pick<IncomingMessage, 'headers'>): readonly (string | undefined)[] {
  if (headers.forwarded !== undefined) return parseForwarded(headers.forwarded);
  const list = joinHeader(headers['x-forwarded-for']);
  return list === undefined
    ? []
    : list
        .split(',')
        .slice(-MAX_HOPS)
        .map((hop) => normalizeAddress(hop.trim()));
}

type IsTrusted = (address: string, hop: number) => boolean;

function trustNetworks(networks: readonly string[]): IsTrusted {
  const list = new BlockList();
  for (const network of networks.flatMap((name) => NAMED_NETWORKS[name] ?? [name])) {
    const [address = '', prefix] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function createTrust(setting: HttpConfig['server']['trustProxy']): IsTrusted {
  if (setting === false) return () => false;
  return typeof setting === 'number' ? (_address, hop) => hop < setting : trustNetworks(setting);
}

interface PeerSocket {
  readonly remoteAddress?: string | undefined;
}

type AddressedRequest = Pick<IncomingMessage, 'headers'> & { readonly socket: PeerSocket };

/** Makes the resolver of clients' addresses, by `server.trustProxy`. */
export function createClientAddresses(setting: HttpConfig['server']['trustProxy']) {
  const isTrusted = createTrust(setting);
  const peers = new WeakMap<object, string>();

  const peerOf = (socket: PeerSocket): string =>
    peers.get(socket) ?? normalizeAddress(socket.remoteAddress ?? '') ?? '';

  return {
    /** Remembers the other end of a new socket, which a closed one no longer tells. */
    remember(socket: PeerSocket): void {
      peers.set(socket, peerOf(socket));
    },
    /**
     * The address of a request's client: from the socket on, each trusted hop is replaced by the one that it names, if it names
     * one. Empty without a socket.
     */
    of(request: AddressedRequest): string {
      let address = peerOf(request.socket);
      if (address === '' || !isTrusted(address, 0)) return address;
      const hops = parseHops(request);
      for (let hop = 0; hop < hops.length && isTrusted(address, hop); hop += 1) {
        const next = hops[hops.length - 1 - hop];
        if (next === undefined) break;
        address = next;
      }
      return address;
    },
  };
}
