// Where a request really goes: addresses that were looked at before anything connects to them.
import { isIP } from 'node:net';
import { type AllowedDestinations, bareHost, isPublicAddress, originOf, portOf } from './addresses.ts';
import type { HostResolver, ResolvedAddress } from './dns.ts';
import { FetchRefusedError } from './fetch-errors.ts';

/**
 * Makes the function that gives every address of a URL's host, resolved once, or throws: FetchRefused when one of them is
 * private and not opened by the operator, FetchFailed when there is none. `publicOnly`: nothing is open, since any name
 * could be made to lead to an address that is. Connect to these and nothing else: what a second lookup says may be something
 * else.
 */
export function createDestinationResolver(names: HostResolver, allowance: AllowedDestinations) {
  return async (url: URL, publicOnly = false): Promise<readonly ResolvedAddress[]> => {
    const isOpen: AllowedDestinations = publicOnly ? () => false : allowance;
    const host = bareHost(url.hostname);
    const port = portOf(url);
    const family = isIP(host);
    const open = isOpen(host, port);
    // Node asks no lookup about addresses, so they are looked at here.
    if (family === 4 || family === 6) {
      if (open || isPublicAddress(host)) return [{ address: host, family }];
      throw new FetchRefusedError('address', originOf(url));
    }
    if (open) return names.own(host);
    const addresses = await names.public(host);
    const fit = addresses.every(({ address }) => isPublicAddress(address) || isOpen(address, port));
    if (!fit) throw new FetchRefusedError('address', originOf(url));
    return addresses;
  };
}
