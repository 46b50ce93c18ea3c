// Countries from a database file: the bundled one, or one that the operator keeps up to date.
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { LRUCache } from 'lru-cache';
import { type Lookup, type LookupLog, normalizePublicAddress, valueAtPath } from './lookup.ts';

/** Milliseconds between looks at the file. */
const LOOK_EVERY_MS = 5000;

const MAX_REMEMBERED = 10_000;
/** An IPv6 address with an IPv4 one in it has 45 characters. */
const MAX_ADDRESS_LENGTH = 45;

/** Where databases keep the code of a country: the bundled one, and those of MaxMind. */
const PATHS = ['country_code', 'country.iso_code'] as const;

interface CountryDatabaseDeps {
  /** Absolute; undefined for the bundled one. */
  readonly file: string | undefined;
  readonly log: LookupLog;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

interface Database {
  /** What tells two states of the file apart. */
  readonly mark: string;
  /** The country of an address as a visitor has it, remembered. */
  readonly countryOf: (address: string) => string | undefined;
}

const bundledFile = () =>
  fileURLToPath(import.meta.resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'));

async function markOf(file: string): Promise<string> {
  const { ino, size, mtimeMs } = await stat(file);
  return `${ino} ${size} ${mtimeMs}`;
}

/** Loaded on first use: the bundled file has 8 MB. */
async function openDatabase(file: string, mark: string): Promise<Database> {
  const { open } = await import('maxmind');
  const reader = await open(file);
  const read = (address: string): string | undefined => {
    const ip = normalizePublicAddress(address);
    if (ip === undefined) return undefined;
    const found: unknown = reader.get(ip);
    const code = PATHS.map((path) => valueAtPath(found, path)).find((value) => typeof value === 'string');
    return code?.trim() || undefined;
  };
  const remembered = new LRUCache<string, { readonly country: string | undefined }>({ max: MAX_REMEMBERED });
  return {
    mark,
    countryOf(address) {
      const known = remembered.get(address);
      if (known !== undefined) return known.country;
      const country = read(address);
      if (address.length <= MAX_ADDRESS_LENGTH) remembered.set(address, { country });
      return country;
    },
  };
}

/** Makes the lookup in one file. A file that is missing or broken is logged, and read once it is right. */
export function createCountryDatabase({ file = bundledFile(), log, now }: CountryDatabaseDeps): Lookup {
  let current: Database | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;
  let complained = '';

  const complain = (error: unknown) => {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (reason !== complained) log.warn({ file, reason }, 'cannot read the country database');
    complained = reason;
  };

  /** What was read before stays in use while the file cannot be read. */
  const look = async () => {
    try {
      const mark = await markOf(file);
      if (mark === current?.mark) return;
      current = await openDatabase(file, mark);
      complained = '';
    } catch (error) {
      complain(error);
    }
  };

  return async (address, onFailure) => {
    if (now() - lookedAt >= LOOK_EVERY_MS) {
      lookedAt = now();
      looking = look();
    }
    // A newer file is waited for only where there is none yet.
    if (current === undefined) await looking;
    try {
      if (current !== undefined) return current.countryOf(address);
    } catch (error) {
      complain(error);
    }
    onFailure?.(LOOK_EVERY_MS / 1000);
    return undefined;
  };
}
