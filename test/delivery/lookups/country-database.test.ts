// Countries of real addresses, from the bundled database and from files that come, change and break.
import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createCountryDatabase } from '../../../src/delivery/lookups/country-database.ts';
import { countryFile } from '../../helpers/app/delivery.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';

const bundled = (name: string) =>
  fileURLToPath(import.meta.resolve(`@ip-location-db/geo-whois-asn-country-mmdb/${name}`));
const IPV4_ONLY = bundled('geo-whois-asn-country-ipv4.mmdb');
const IPV6_ONLY = bundled('geo-whois-asn-country-ipv6.mmdb');

function opened(file?: string) {
  const lines: string[] = [];
  let time = 0;
  const log = {
    warn: (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`),
  };
  const lookUp = createCountryDatabase({ file, log, now: () => time });
  return {
    lookUp,
    lines,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

describe('the bundled country database', () => {
  const { lookUp } = opened();

  it.each([
    ['8.8.8.8', 'US'],
    ['81.2.69.160', 'GB'],
    ['2.125.160.216', 'GB'],
    ['212.58.244.20', 'GB'],
    ['193.99.144.80', 'DE'],
    ['89.160.20.112', 'SE'],
    ['175.16.199.1', 'CN'],
    ['133.11.0.1', 'JP'],
    ['200.160.2.3', 'BR'],
    ['139.130.4.5', 'AU'],
    ['::ffff:193.99.144.80', 'DE'],
    ['2001:240::1', 'JP'],
    ['2001:4860:4860::8888', 'US'],
    ['2001:638::1', 'DE'],
  ])('knows that %s is in %s', async (ip, country) => {
    expect(await lookUp(ip)).toBe(country);
  });

  it.each(['10.0.0.1', '127.0.0.1', '::1', 'fe80::1', '', 'nonsense', '999.1.1.1'])(
    'knows no country of %j',
    async (ip) => {
      expect(await lookUp(ip)).toBeUndefined();
    },
  );
});

describe('a country database file', () => {
  it.each([
    [{ country: { iso_code: 'SE', names: { en: 'Sweden' } } }, 'SE'],
    [{ country_code: 'se' }, 'se'],
    [{ country: 'SE' }, undefined],
    [{ continent: { code: 'EU' } }, undefined],
  ])('with records such as %j gives %s', async (record, country) => {
    const file = join(await temporaryFolder(), 'countries.mmdb');
    await writeFile(file, countryFile(record));
    expect(await opened(file).lookUp('89.160.20.112')).toBe(country);
  });

  it('is read anew when it has changed, while the old one answers', async () => {
    const file = join(await temporaryFolder(), 'countries.mmdb');
    await copyFile(IPV6_ONLY, file);
    const { lookUp, pass } = opened(file);
    expect([await lookUp('2001:240::1'), await lookUp('8.8.8.8')]).toEqual(['JP', undefined]);
    await copyFile(IPV4_ONLY, file);
    expect(await lookUp('8.8.8.8')).toBeUndefined();
    pass(5000);
    await expect.poll(() => lookUp('8.8.8.8')).toBe('US');
  });

  it('may be missing or broken, which is logged once, and is read when it is right', async () => {
    const file = join(await temporaryFolder(), 'countries.mmdb');
    const { lookUp, lines, pass } = opened(file);
    expect([await lookUp('8.8.8.8'), await lookUp('8.8.8.8')]).toEqual([undefined, undefined]);
    pass(5000);
    expect([await lookUp('8.8.8.8'), lines.length]).toEqual([undefined, 1]);
    await writeFile(file, 'no database');
    pass(5000);
    expect([await lookUp('8.8.8.8'), lines.length]).toEqual([undefined, 2]);
    await copyFile(IPV4_ONLY, file);
    pass(5000);
    expect(await lookUp('8.8.8.8')).toBe('US');
  });

  it('answers on when it is removed or damaged', async () => {
    const file = join(await temporaryFolder(), 'countries.mmdb');
    await copyFile(IPV4_ONLY, file);
    const { lookUp, lines, pass } = opened(file);
    expect(await lookUp('8.8.8.8')).toBe('US');
    await rm(file);
    pass(5000);
    await lookUp('8.8.8.8');
    await expect.poll(() => lines.length).toBe(1);
    expect(await lookUp('8.8.8.8')).toBe('US');
  });
});
