// What is known of one visitor: each fact is found out once, when it is first asked for, and it is noted that it was.

import type { Lookup } from '../lookups/lookup.ts';
import type { Fact, Visitor } from '../model/delivery.ts';
import { createDeviceDetector, type DeviceDetector } from './device.ts';
import { type AcceptedLanguage, createLanguageReader, type LanguageReader } from './language.ts';

/** How facts are found out. */
export interface FactSources {
  readonly device: DeviceDetector;
  readonly languages: LanguageReader;
  readonly country: Lookup;
  readonly network: Lookup;
}

/** Puts the lookups beside what headers tell. */
export function createFactSources({
  country,
  network,
}: Pick<FactSources, 'country' | 'network'>): FactSources {
  return { device: createDeviceDetector(), languages: createLanguageReader(), country, network };
}

/** The facts about one visitor, for the length of one request. */
export interface Facts {
  device(): Promise<string>;
  languages(): readonly AcceptedLanguage[];
  /** Undefined when it is not known. */
  country(): Promise<string | undefined>;
  /** As the service says it; undefined when it is not known. */
  network(): Promise<string | undefined>;
  /** Which of them were asked for. */
  readonly consulted: ReadonlySet<Fact>;
}

/** Begins with nothing known. */
export function createFacts(visitor: Visitor, sources: FactSources): Facts {
  const consulted = new Set<Fact>();
  let device: Promise<string> | undefined;
  let languages: readonly AcceptedLanguage[] | undefined;
  let country: Promise<string | undefined> | undefined;
  let network: Promise<string | undefined> | undefined;
  return {
    consulted,
    device() {
      consulted.add('device');
      device ??= sources.device(visitor.userAgent);
      return device;
    },
    languages() {
      consulted.add('language');
      languages ??= sources.languages(visitor.acceptLanguage);
      return languages;
    },
    country() {
      consulted.add('country');
      country ??= sources.country(visitor.ip);
      return country;
    },
    network() {
      consulted.add('network');
      network ??= sources.network(visitor.ip);
      return network;
    },
  };
}
