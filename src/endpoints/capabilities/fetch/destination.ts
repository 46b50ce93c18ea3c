// Where a request really goes: addresses that were looked at before anything connects to them.
import { isIP } from 'node:net';
import { type Allowance, bareHost, isPublicAddress, portOf } from './addresses.ts';
import { FetchRefused } from './fetch-trouble.ts';
import { originOf } from './grant-match.ts';
import type { Address, Names } from './names.ts';

/**
 * Makes the function that gives every address of a URL's host, resolved once, or throws: FetchRefused when one of them is
 * private and its host is not opened by the operator, FetchFailed when there is none. Connect to these and nothing else: what a
 * second lookup says may be something else.
 */
export function createDestination(names: Names, isOpen: Allowance) {
  return async (url: URL): Promise<readonly Address[]> => {
    const host = bareHost(url.hostname);
    const port = portOf(url);
    const family = isIP(host);
    const open = isOpen(host, port);
    // Node asks no lookup about addresses, so they are looked at here.
    if (family === 4 || family === 6) {
      if (open || isPublicAddress(host)) return [{ address: host, family }];
      throw new FetchRefused('address', originOf(url));
    }
    if (open) return names.own(host);
    const addresses = await names.public(host);
    // A listed address is reached by that address: any name could be made to lead there, past what is granted for it.
    if (!addresses.every(({ address }) => isPublicAddress(address)))
      throw new FetchRefused('address', originOf(url));
    return addresses;
  };
}
