// The facts about one visitor: each is determined when it is first asked for, and recorded as consulted.

import type { Lookup } from '../lookups/lookup.ts';
import type { Visitor, VisitorFact } from '../model/delivery-types.ts';
import { createDeviceDetector, type DeviceDetector } from './device.ts';
import { type AcceptedLanguage, createLanguageReader, type LanguageReader } from './language.ts';

/** How facts are found out. */
export interface VisitorFactSources {
  readonly device: DeviceDetector;
  readonly languages: LanguageReader;
  readonly country: Lookup;
  readonly network: Lookup;
}

/** Puts the lookups beside what headers tell. */
export function createVisitorFactSources({
  country,
  network,
}: Pick<VisitorFactSources, 'country' | 'network'>): VisitorFactSources {
  return { device: createDeviceDetector(), languages: createLanguageReader(), country, network };
}

/** The facts about one visitor, for the length of one request. */
export interface VisitorFacts {
  device(): Promise<string>;
  languages(): readonly AcceptedLanguage[];
  /** Undefined when it is not known. */
  country(): Promise<string | undefined>;
  /** As the service says it; undefined when it is not known. */
  network(): Promise<string | undefined>;
  /** Which of them were asked for. */
  readonly consulted: ReadonlySet<VisitorFact>;
}

/** Begins with nothing known. */
export function createVisitorFacts(visitor: Visitor, sources: VisitorFactSources): VisitorFacts {
  const consulted = new Set<VisitorFact>();
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

/** Two words for one thing: services say the one, route files the other. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([['mobile', 'cellular']]);

const canonical = (name: string) => SYNONYMS.get(name) ?? name;

/** The types that an answer names, in lower case: `Cable/DSL` is both. */
export function parseNetworks(answer: string): readonly string[] {
  const parts = answer.toLowerCase().split('/');
  return [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ''))];
}

/** Whether both name the same type. Both are in lower case. */
export const isSameNetwork = (a: string, b: string) => canonical(a) === canonical(b);
