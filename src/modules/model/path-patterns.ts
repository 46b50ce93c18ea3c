// Path patterns such as `/1.0/books/:id([a-fA-F0-9]{24})?`: parsed once, matched in time linear in the path for any pattern, and
// rejected, like names, where they conflict with collections, other endpoints or paths of the server.

import type { CollectionRegistry } from '../../collections/model/collection.ts';
import { AppError } from '../../errors/errors.ts';
import { compileLinearRegex, LinearRegexError } from '../../lib/regex/linear-regex.ts';
import { type ModuleAddress, RESERVED_ENDPOINT_NAMES } from './module-types.ts';

interface Parameter {
  readonly name: string;
  /** The rule as the author wrote it: `[0-9]+`. */
  readonly rule?: string | undefined;
  /** Undefined: any text but the empty one. */
  readonly accepts: ((text: string) => boolean) | undefined;
}

/** A literal text, or a parameter. */
type Segment = string | Parameter;

export interface PathPattern {
  readonly text: string;
  /** What follows the version. */
  readonly segments: readonly Segment[];
  /** Whether a path without the last segment matches too. */
  readonly optional: boolean;
}

const MAX_PATTERN_CHARACTERS = 500;
const MAX_SEGMENTS = 20;
const LITERAL = /^[A-Za-z0-9._~-]+$/;
const SEGMENT = /\/((?:[^/()]|\([^()]*\))+)/y;
const PARAMETER = /^:(?<name>[A-Za-z_][A-Za-z0-9_]{0,63})(?:\((?<rule>[^()]*)\))?(?<optional>\?)?$/;
// Character classes, letters and digits, each with a quantifier or none, and alternatives of such: nothing nests.
const PARAMETER_RULE =
  /^(?:(?:\[\^?(?:[^[\]\\]|\\[dw\\\]^.-])+\]|\\[dw.-]|[A-Za-z0-9_~.-])(?:[*+?]|\{[0-9]{1,3}(?:,(?:[0-9]{1,3})?)?\})?|\|)+$/;
/** Instructions of the engine for one rule, and characters that it is given. */
const MAX_RULE_SIZE = 500;
const MAX_VALUE_CHARACTERS = 500;

function patternError(message: string): AppError {
  return new AppError('ENDPOINT_INVALID', { items: [{ field: 'route', message, code: 'ENDPOINT_LOAD' }] });
}

function compileRule(rule: string): (text: string) => boolean {
  if (!PARAMETER_RULE.test(rule)) {
    throw patternError(
      `\`(${rule})\` may hold character classes, letters and digits, each with a quantifier, and \`|\` between them`,
    );
  }
  try {
    const { size, test } = compileLinearRegex(`^(?:${rule})$`, '');
    if (size > MAX_RULE_SIZE) throw patternError(`\`(${rule})\` is too large`);
    return (text) => text.length <= MAX_VALUE_CHARACTERS && test(text);
  } catch (error) {
    if (error instanceof LinearRegexError)
      throw patternError(`\`(${rule})\` is no pattern that can be used here`);
    throw error;
  }
}

function splitPattern(text: string): readonly string[] {
  const parts: string[] = [];
  SEGMENT.lastIndex = 0;
  for (let end = 0; end < text.length; end = SEGMENT.lastIndex) {
    const part = SEGMENT.exec(text)?.[1];
    if (part === undefined) throw patternError('must be segments of a path, each after a slash');
    parts.push(part);
  }
  return parts;
}

function parseSegment(part: string): { readonly segment: Segment; readonly optional: boolean } {
  if (LITERAL.test(part) && part !== '.' && part !== '..') return { segment: part, optional: false };
  const found = PARAMETER.exec(part)?.groups;
  if (found === undefined) {
    throw patternError(`\`${part}\` is neither a text nor a parameter such as \`:id\` or \`:id([0-9]+)\``);
  }
  const { name = '', rule, optional } = found;
  const accepts = rule === undefined ? undefined : compileRule(rule);
  return { segment: { name, rule, accepts }, optional: optional !== undefined };
}

/** Reads the path pattern that `route` of an endpoint of this version names. Throws ENDPOINT_INVALID about `route`. */
export function parsePathPattern(text: string, apiVersion: string): PathPattern {
  if (text.length > MAX_PATTERN_CHARACTERS)
    throw patternError(`must have at most ${MAX_PATTERN_CHARACTERS} characters`);
  const [version, ...rest] = splitPattern(text);
  if (version !== apiVersion) throw patternError(`must start with \`/${apiVersion}/\``);
  if (rest.length === 0) throw patternError('must name something below its version');
  if (rest.length > MAX_SEGMENTS) throw patternError(`must have at most ${MAX_SEGMENTS} segments`);
  const parsed = rest.map(parseSegment);
  const [last] = parsed.slice(-1);
  if (parsed.slice(0, -1).some(({ optional }) => optional))
    throw patternError('only the last segment may be optional');
  const optional = last?.optional === true;
  if (optional && rest.length === 1) throw patternError('must have a segment that is not optional');
  const segments = parsed.map(({ segment }) => segment);
  const names = segments.flatMap((segment) => (typeof segment === 'string' ? [] : segment.name));
  if (new Set(names).size < names.length) throw patternError('must not use the name of a parameter twice');
  return { text, segments, optional };
}

/** The names of the parameters of a pattern, which may be invalid otherwise. */
export function pathParameterNames(text: string): readonly string[] {
  return [...text.matchAll(/\/:(?<name>[A-Za-z_][A-Za-z0-9_]{0,63})/g)].flatMap(
    ({ groups }) => groups?.['name'] ?? [],
  );
}

function matchesSegment(segment: Segment, text: string): boolean {
  if (typeof segment === 'string') return segment === text;
  return text !== '' && (segment.accepts?.(text) ?? true);
}

/** The values of the parameters when these decoded segments below the version match. */
export function matchPathPattern(
  { segments, optional }: PathPattern,
  texts: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const missing = segments.length - texts.length;
  if (missing !== 0 && !(optional && missing === 1)) return undefined;
  // Literal texts first: a rule costs a thousand times more, and there may be a thousand patterns.
  for (const [index, text] of texts.entries()) {
    const segment = segments[index];
    if (typeof segment === 'string' && segment !== text) return undefined;
  }
  const params = Object.create(null) as Record<string, string>;
  for (const [index, text] of texts.entries()) {
    const segment = segments[index];
    if (segment === undefined || !matchesSegment(segment, text)) return undefined;
    if (typeof segment !== 'string') params[segment.name] = text;
  }
  return params;
}

const segmentsOverlap = (a: Segment, b: Segment): boolean => {
  if (typeof a === 'string') return matchesSegment(b, a);
  // Whether two rules match a common text is too expensive to compute.
  return typeof b === 'string' ? matchesSegment(a, b) : true;
};

/** May some path match both? */
export function pathPatternsOverlap(a: Pick<PathPattern, 'segments' | 'optional'>, b: typeof a): boolean {
  const lengths = ({ segments, optional }: typeof a) =>
    optional ? [segments.length, segments.length - 1] : [segments.length];
  const common = lengths(a).filter((length) => lengths(b).includes(length));
  return common.some((length) =>
    a.segments.slice(0, length).every((segment, index) => segmentsOverlap(segment, b.segments[index] ?? '')),
  );
}

/** May a longer path that begins with these segments match? */
export function continuesBelow({ segments }: PathPattern, beginning: readonly string[]): boolean {
  return (
    segments.length > beginning.length &&
    beginning.every((text, index) => matchesSegment(segments[index] ?? '', text))
  );
}

/** Names of the sub-resources below `/{version}/{endpoint}`. */
export const ENDPOINT_SUB_RESOURCES: readonly string[] = [
  ...['config', 'policy', 'versions', 'logs', 'usage', 'suspend'],
];

export type EndpointAddress = Extract<ModuleAddress, { kind: 'endpoint' }>;

/** An endpoint with the paths it answers. */
export interface EndpointPaths {
  readonly address: EndpointAddress;
  /** Undefined: `/{version}/{name}`. */
  readonly pattern: PathPattern | undefined;
}

type Collections = Pick<CollectionRegistry, 'list'>;

const literalPattern = (...segments: readonly string[]) => ({ segments, optional: false });

/** Throws NAME_TAKEN where a database folder of the version has the name of the endpoint: sub-resources would hide collections. */
export function assertNameAvailable({ apiVersion, name }: EndpointAddress, collections: Collections): void {
  const taken = collections
    .list()
    .some(({ version, database }) => version === apiVersion && database === name);
  if (!taken) return;
  throw new AppError('NAME_TAKEN', {
    field: 'name',
    message: `\`${name}\` is the name of a database folder of version ${apiVersion}`,
  });
}

function findShadowedCollection(
  pattern: PathPattern,
  apiVersion: string,
  collections: Collections,
): string | undefined {
  return collections
    .list()
    .filter(({ version }) => version === apiVersion)
    .find(
      ({ database, name }) =>
        pathPatternsOverlap(pattern, literalPattern(database, name)) ||
        continuesBelow(pattern, [database, name]),
    )?.path;
}

function hides(pattern: PathPattern, { address: { name }, pattern: other }: EndpointPaths): boolean {
  const own = other === undefined ? literalPattern(name) : other;
  return (
    pathPatternsOverlap(pattern, own) ||
    ENDPOINT_SUB_RESOURCES.some((sub) => pathPatternsOverlap(pattern, literalPattern(name, sub)))
  );
}

/** A path of the server itself: the code of any endpoint, existing or not, and the sub-resources of this one. */
function isServedPath({ segments }: PathPattern, name: string): boolean {
  const [first, second, ...more] = segments;
  if (typeof second !== 'string' || more.length > 0) return false;
  return second === 'config' || (first === name && ENDPOINT_SUB_RESOURCES.includes(second));
}

/** Throws ENDPOINT_INVALID where a path of the endpoint already has another meaning. */
export function assertPathsAvailable(
  { address, pattern }: EndpointPaths,
  others: readonly EndpointPaths[],
  collections: Collections,
): void {
  const { apiVersion, name } = address;
  const siblings = others.filter(
    (other) => other.address.apiVersion === apiVersion && other.address.name !== name,
  );
  if (pattern === undefined) {
    const taker = siblings.find(
      (other) => other.pattern !== undefined && pathPatternsOverlap(other.pattern, literalPattern(name)),
    );
    if (taker === undefined) return;
    throw patternError(`\`/${apiVersion}/${name}\` belongs to the route of \`${taker.address.name}\``);
  }
  const reserved = RESERVED_ENDPOINT_NAMES.find((text) => pathPatternsOverlap(pattern, literalPattern(text)));
  if (reserved !== undefined) throw patternError(`shadows \`/${apiVersion}/${reserved}\``);
  if (isServedPath(pattern, name))
    throw patternError(`\`${pattern.text}\` would never be reached: the server answers it`);
  const collection = findShadowedCollection(pattern, apiVersion, collections);
  if (collection !== undefined) throw patternError(`shadows the collection \`${collection}\``);
  const hidden = siblings.find((other) => hides(pattern, other));
  if (hidden !== undefined)
    throw patternError(`shadows the endpoint \`/${apiVersion}/${hidden.address.name}\``);
}
