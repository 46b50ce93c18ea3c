// Resolves the host of a URL to addresses that requests may connect to. Names that a policy grants are resolved by the name
// servers, names that the operator allows by the system.

import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type AllowedDestinations, bareHostname, isPublicAddress, originOf, portOf } from './addresses.ts';
import { FetchFailedError, FetchRefusedError } from './fetch-errors.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export interface NameResolver {
  /**
   * Every address of a name. Not through the system's own lookup: that one occupies a thread of the few that the whole
   * server has, for as long as a hostile name server likes.
   */
  public(name: string): Promise<readonly ResolvedAddress[]>;
  /** The same as the system sees it, with its list of hosts. */
  own(name: string): Promise<readonly ResolvedAddress[]>;
}

interface NameServers {
  resolve4(name: string): Promise<readonly string[]>;
  resolve6(name: string): Promise<readonly string[]>;
}

const TIMEOUT_MS = 2000;
const TRIES = 2;

const as = (family: 4 | 6) => (addresses: readonly string[]) =>
  addresses.filter((address) => isIP(address) === family).map((address) => ({ address, family }));

/** Makes the lookups. Both reject with a FetchFailedError, and never resolve with nothing. */
export function createNameResolver(
  newResolver: () => NameServers = () => new Resolver({ timeout: TIMEOUT_MS, tries: TRIES }),
): NameResolver {
  const some = (addresses: readonly ResolvedAddress[], cause?: unknown): readonly ResolvedAddress[] => {
    if (addresses.length === 0) throw new FetchFailedError('name', cause);
    return addresses;
  };
  return {
    async public(name) {
      // A new one for each name, so that it knows the name servers of today.
      const resolver = newResolver();
      const answers = await Promise.allSettled([
        resolver.resolve4(name).then(as(4)),
        resolver.resolve6(name).then(as(6)),
      ]);
      return some(answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])));
    },
    async own(name) {
      try {
        const found = await lookup(name, { all: true, order: 'verbatim' });
        return some(found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 })));
      } catch (cause) {
        throw cause instanceof FetchFailedError ? cause : new FetchFailedError('name', cause);
      }
    },
  };
}

/**
 * Makes the function that gives every address of a URL's host, resolved once, or throws: FetchRefusedError when one of them is
 * private and not opened by the operator, FetchFailedError when there is none. `publicOnly`: nothing is open, since any name
 * could be made to lead to an address that is. Connect to these and nothing else: what a second lookup says may be something
 * else.
 */
export function createDestinationResolver(names: NameResolver, allowed: AllowedDestinations) {
  return async (url: URL, publicOnly = false): Promise<readonly ResolvedAddress[]> => {
    const isOpen: AllowedDestinations = publicOnly ? () => false : allowed;
    const hostname = bareHostname(url.hostname);
    const port = portOf(url);
    const family = isIP(hostname);
    const open = isOpen(hostname, port);
    // Node asks no lookup about addresses, so they are looked at here.
    if (family === 4 || family === 6) {
      if (open || isPublicAddress(hostname)) return [{ address: hostname, family }];
      throw new FetchRefusedError('address', originOf(url));
    }
    if (open) return names.own(hostname);
    const addresses = await names.public(hostname);
    const fit = addresses.every(({ address }) => isPublicAddress(address) || isOpen(address, port));
    if (!fit) throw new FetchRefusedError('address', originOf(url));
    return addresses;
  };
}
