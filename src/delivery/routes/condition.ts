// The condition of a branch: which facts it asks for, and which values it accepts.
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { didYouMean } from '../../lib/nearest-name.ts';
import type { DefinitionIssue } from '../definitions/definition.ts';
import type { VisitorFact } from '../model/delivery-types.ts';
import { DEVICES, isLanguageRange, normalizeLanguage } from '../model/visitor-facts.ts';

const MAX_VALUES = 500;
const MAX_VALUE_LENGTH = 100;
const DEFAULT_MIN_QUALITY = 1;

/** One member of a condition. It holds when one of its values does. */
export interface ConditionTest {
  readonly fact: VisitorFact;
  /** As the document calls it. */
  readonly key: string;
  /** Trimmed, in lower case; languages with `-` between their parts. */
  readonly wanted: readonly string[];
  /** Of languages: what the quality of one must be at least. */
  readonly minQuality: number;
}

const FACTS: ReadonlyMap<string, VisitorFact> = new Map([
  ['device', 'device'],
  ['language', 'language'],
  ['country', 'country'],
  ['location', 'country'],
  ['network', 'network'],
]);

/** The documented name, and the one that older servers read. */
const QUALITIES = ['languageMinQuality', 'languagesMinQuality'] as const;
const CONDITIONS: readonly string[] = [...FACTS.keys(), ...QUALITIES];

interface Member {
  readonly key: string;
  readonly fact: VisitorFact;
  readonly value: Json;
}

/** What is wrong with a member, or with the whole condition. */
type Complain = (key: string | undefined, message: string) => void;

interface Report {
  /** The branch must not match. */
  readonly complain: Complain;
  /** Older servers knew what to do with it, so that it refuses a posted document only. */
  readonly mention: Complain;
}

/** Undefined after a complaint. */
function readValues(
  { key, fact, value }: Member,
  { complain, mention }: Report,
): readonly string[] | undefined {
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0) return void complain(key, 'must not be empty');
  if (list.length > MAX_VALUES) return void complain(key, `must have ${MAX_VALUES} values at most`);
  const wanted: string[] = [];
  for (const one of list) {
    if (typeof one !== 'string') return void complain(key, 'must be a string or a list of strings');
    const text = one.trim().toLowerCase();
    if (text === '' || text.length > MAX_VALUE_LENGTH) {
      return void complain(key, `must have values of 1 to ${MAX_VALUE_LENGTH} characters`);
    }
    if (fact === 'device' && !DEVICES.has(text)) {
      mention(key, `must be one of ${[...DEVICES].join(', ')}`);
    }
    if (fact === 'language' && !isLanguageRange(text)) {
      return void complain(key, 'must be language codes such as en or en-GB');
    }
    wanted.push(fact === 'language' ? normalizeLanguage(text) : text);
  }
  return [...new Set(wanted)];
}

const isQuality = (value: Json | undefined) => typeof value === 'number' && value >= 0 && value <= 1;

function readQuality(condition: JsonObject, { complain, mention }: Report): number {
  const given = QUALITIES.filter((key) => Object.hasOwn(condition, key));
  for (const key of given) {
    if (!isQuality(condition[key])) mention(key, 'must be a number from 0 to 1');
  }
  const [first, second] = given;
  if (first === undefined) return DEFAULT_MIN_QUALITY;
  if (second !== undefined && condition[first] !== condition[second]) {
    complain(second, `is another name of ${first}, which has another value`);
  }
  return isQuality(condition[first]) ? Number(condition[first]) : DEFAULT_MIN_QUALITY;
}

interface ParsedCondition {
  readonly tests: readonly ConditionTest[];
  readonly issues: readonly DefinitionIssue[];
  /** It cannot be told whom it means. */
  readonly broken: boolean;
}

/** `source`: the member `condition` of branch `index`, if there is one. Findings name the branch. */
export function parseCondition(source: Json | undefined, index: number): ParsedCondition {
  const issues: DefinitionIssue[] = [];
  let broken = false;
  const path = ['branches', index, 'condition'];
  const mention: Complain = (key, message) => {
    const at = key === undefined ? path : [...path, key];
    const subject = key === undefined ? 'condition' : key;
    issues.push({ severity: 'error', message: `Branch ${index}: ${subject} ${message}`, path: at });
  };
  const complain: Complain = (key, message) => {
    broken = true;
    mention(key, message);
  };
  const report = { complain, mention };
  if (source === undefined || source === null) return { tests: [], issues, broken };
  if (!isJsonObject(source)) {
    // Empty for older servers.
    const isEmpty = source === '' || source === 0 || source === false;
    (isEmpty ? mention : complain)(undefined, 'must be an object');
    return { tests: [], issues, broken };
  }

  const minQuality = readQuality(source, report);
  const tests: ConditionTest[] = [];
  for (const [key, value] of Object.entries(source)) {
    const fact = FACTS.get(key);
    if (fact !== undefined) {
      const wanted = readValues({ key, fact, value }, report);
      if (wanted !== undefined) tests.push({ fact, key, wanted, minQuality });
    } else if (!QUALITIES.some((name) => name === key)) {
      broken = true;
      const message = `Branch ${index}: unknown condition "${key}"${didYouMean(key, CONDITIONS)}`;
      issues.push({ severity: 'error', message, path: [...path, key] });
    }
  }
  if (Object.hasOwn(source, 'country') && Object.hasOwn(source, 'location')) {
    complain('location', 'is another name of country, which is given too');
  }
  const quality = QUALITIES.find((key) => Object.hasOwn(source, key));
  if (quality !== undefined && !Object.hasOwn(source, 'language')) {
    const message = `Branch ${index}: ${quality} does nothing without language`;
    issues.push({ severity: 'warning', message, path: [...path, quality] });
  }
  return { tests, issues, broken };
}
