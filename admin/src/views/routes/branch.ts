// Branches of routes as the form shows them: read leniently, because files that people write may hold anything.
import type { Json, JsonObject } from '../../api/types.ts';
import { isObject } from '../../parts/delivery/definition.ts';

export const DEVICES = ['console', 'desktop', 'embedded', 'mobile', 'smarttv', 'tablet', 'wearable'] as const;

const FACTS = ['device', 'language', 'country', 'location', 'network'];
const MEMBERS = new Set([...FACTS, 'languageMinQuality']);

const isTexts = (value: Json | undefined): boolean =>
  typeof value === 'string' || (Array.isArray(value) && value.every((part) => typeof part === 'string'));

/** The values of one condition: one text, or a list of them. */
export function valuesOf(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.map(String) : [];
}

export const conditionOf = (branch: JsonObject): JsonObject =>
  isObject(branch['condition']) ? branch['condition'] : {};

function isForForm(branch: Json): boolean {
  if (!isObject(branch)) return false;
  const { recipe, condition } = branch;
  if (recipe !== undefined && typeof recipe !== 'string') return false;
  if (condition === undefined || condition === null) return true;
  if (!isObject(condition)) return false;
  if (Object.hasOwn(condition, 'country') && Object.hasOwn(condition, 'location')) return false;
  return Object.entries(condition).every(([name, value]) =>
    name === 'languageMinQuality' ? typeof value === 'number' : MEMBERS.has(name) && isTexts(value),
  );
}

/** False: there is something in it that the form has no place for. */
export const isRouteForForm = ({ branches }: JsonObject): boolean =>
  Array.isArray(branches) && branches.every(isForForm);

export const branchesOf = ({ branches }: JsonObject): readonly JsonObject[] =>
  Array.isArray(branches) ? branches.map((branch: Json) => (isObject(branch) ? branch : {})) : [];

const WORDS: Readonly<Record<string, string>> = {
  device: 'the device is',
  language: 'the visitor accepts',
  country: 'the country is',
  location: 'the country is',
  network: 'the connection is',
};

/** Countries have codes in capitals, however they are written. */
const isCountry = (name: string) => name === 'country' || name === 'location';

const joined = (values: readonly string[]) =>
  values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;

/** "the device is mobile or tablet" */
export const testInWords = (name: string, values: readonly string[]): string =>
  `${WORDS[name] ?? name} ${joined(isCountry(name) ? values.map((code) => code.toUpperCase()) : values)}`;

/** Whom a branch takes, in words. */
export function branchInWords(branch: JsonObject): string {
  const condition = conditionOf(branch);
  const tests = FACTS.flatMap((name) =>
    condition[name] === undefined ? [] : [testInWords(name, valuesOf(condition[name]))],
  );
  return tests.length === 0 ? 'everybody' : `where ${tests.join(', and ')}`;
}
