// Names to addresses. Names that a policy grants are asked of the name servers, names that the operator opens of the system.
import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { FetchFailedError } from './fetch-errors.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export interface HostResolver {
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

/** Makes the lookups. Both reject with a FetchFailed, and never resolve with nothing. */
export function createHostResolver(
  newResolver: () => NameServers = () => new Resolver({ timeout: TIMEOUT_MS, tries: TRIES }),
): HostResolver {
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
