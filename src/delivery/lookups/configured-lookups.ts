// The lookups that the configuration asks for.
import type { Config } from '../../config/schema.ts';
import type { CacheStore } from '../../stores/ports.ts';
import { createCountryDatabase } from './country-database.ts';
import type { Lookup, LookupLog } from './lookup.ts';
import { createRemoteLookup } from './remote-lookup.ts';

interface LookupDeps {
  readonly settings: Pick<Config, 'geolocation' | 'network'>;
  /** Makes an absolute path of one that is relative to the run directory. */
  readonly resolve: (path: string) => string;
  readonly cache: CacheStore;
  readonly log: LookupLog;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Where nothing can be looked up, nothing is known. */
const UNKNOWN: Lookup = async () => undefined;

/** A row per value of the setting: the type names a method without one. */
const COUNTRY_LOOKUPS: Readonly<Record<Config['geolocation']['method'], (deps: LookupDeps) => Lookup>> = {
  maxmind({ settings: { geolocation }, resolve, log, now }) {
    const { countryDbPath } = geolocation;
    const file = countryDbPath === undefined ? undefined : resolve(countryDbPath);
    return createCountryDatabase({ file, log, now });
  },
  remote({ settings: { geolocation }, cache, log, now }) {
    const { url } = geolocation;
    if (url === undefined) {
      log.warn(
        { setting: 'geolocation.url' },
        'no country is known: `geolocation.method` is remote, without a URL',
      );
      return UNKNOWN;
    }
    return createRemoteLookup({ subject: 'country', settings: { ...geolocation, url }, cache, log, now });
  },
};

function countryLookup(deps: LookupDeps): Lookup {
  const { enabled, method } = deps.settings.geolocation;
  return enabled ? COUNTRY_LOOKUPS[method](deps) : UNKNOWN;
}

function networkLookup({ settings, cache, log, now }: LookupDeps): Lookup {
  const { url, ...others } = settings.network;
  if (url === undefined) return UNKNOWN;
  return createRemoteLookup({ subject: 'network', settings: { ...others, url }, cache, log, now });
}

/** Makes the lookups of country and connection type. Opens nothing before it is first asked. */
export function createLookups(deps: LookupDeps): { readonly country: Lookup; readonly network: Lookup } {
  return { country: countryLookup(deps), network: networkLookup(deps) };
}
