// The lookups that a configuration asks for.
import { describe, expect, it } from 'vitest';
import { createLookups } from '../../src/setup/definitions.ts';
import { createMemoryCache } from '../../src/stores/memory-cache.ts';
import { answerJson, lookupService } from '../helpers/app/delivery.ts';

const IP = '8.8.8.8';
const SETTINGS = {
  geolocation: {
    enabled: true,
    method: 'maxmind',
    countryDbPath: undefined,
    url: undefined,
    key: undefined,
    secret: undefined,
    path: 'location.country.isoCode',
    timeout: 10,
    failureTtl: 3,
  },
  network: {
    url: undefined,
    key: undefined,
    secret: undefined,
    path: 'speed.connectionType',
    timeout: 10,
    failureTtl: 3,
  },
} as const;

function lookups(geolocation: object = {}, network: object = {}) {
  const now = () => 0;
  const lines: string[] = [];
  const made = createLookups({
    settings: {
      geolocation: { ...SETTINGS.geolocation, ...geolocation },
      network: { ...SETTINGS.network, ...network },
    },
    resolve: (path) => `/nowhere/${path}`,
    cache: createMemoryCache({ maxBytes: 1_000_000, now }),
    log: { warn: (fields, message) => void lines.push(`${message} ${JSON.stringify(fields)}`) },
    now,
  });
  return { ...made, lines };
}

describe('lookups of a visitor', () => {
  it('find countries in the bundled database, and no connection types, with no settings at all', async () => {
    const { country, network, lines } = lookups();
    expect([await country(IP), await network(IP), lines]).toEqual(['US', undefined, []]);
  });

  it('find no countries when that is switched off', async () => {
    expect(await lookups({ enabled: false }).country(IP)).toBeUndefined();
  });

  it('read the database that the operator names, from the run directory', async () => {
    const { country, lines } = lookups({ countryDbPath: 'countries.mmdb' });
    expect(await country(IP)).toBeUndefined();
    expect(lines.join()).toContain('/nowhere/countries.mmdb');
  });

  it('ask services for both facts', async () => {
    const answer = { location: { country: { isoCode: 'SE' } }, speed: { connectionType: 'Cable/DSL' } };
    const { origin, asked } = await lookupService(answerJson(answer));
    const { country, network } = lookups(
      { method: 'remote', url: `${origin}/country/{ip}` },
      { url: `${origin}/network/{ip}` },
    );
    expect([await country(IP), await network(IP)]).toEqual(['SE', 'Cable/DSL']);
    expect(asked).toEqual(['/country/8.8.8.8', '/network/8.8.8.8']);
  });

  it('say so when a service is to be asked but none is named', async () => {
    const { country, lines } = lookups({ method: 'remote' });
    expect(await country(IP)).toBeUndefined();
    expect(lines.join()).toContain('geolocation.url');
  });
});
