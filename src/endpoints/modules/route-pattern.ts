// Custom routes: `/1.0/books/:id([a-fA-F0-9]{24})?`. Parsed once; matching takes time linear in the path, whatever the author wrote.
import { AppError } from '../../errors.ts';
import { compileLinear, LinearRegexError } from '../../lib/linear-regex.ts';

interface Parameter {
  readonly name: string;
  /** Undefined: any text but the empty one. */
  readonly accepts: ((text: string) => boolean) | undefined;
}

/** A text that has to be met as it is, or a parameter. */
type Segment = string | Parameter;

export interface RoutePattern {
  readonly text: string;
  /** What follows the version. */
  readonly segments: readonly Segment[];
  /** Whether a path without the last segment matches too. */
  readonly optional: boolean;
}

const MAX_ROUTE = 500;
const MAX_SEGMENTS = 20;
const LITERAL = /^[A-Za-z0-9._~-]+$/;
const SEGMENT = /\/((?:[^/()]|\([^()]*\))+)/y;
const PARAMETER = /^:(?<name>[A-Za-z_][A-Za-z0-9_]{0,63})(?:\((?<rule>[^()]*)\))?(?<optional>\?)?$/;
// Character classes, letters and digits, each with a quantifier or none, and alternatives of such: nothing nests.
const RULE =
  /^(?:(?:\[\^?(?:[^[\]\\]|\\[dw\\\]^.-])+\]|\\[dw.-]|[A-Za-z0-9_~.-])(?:[*+?]|\{[0-9]{1,3}(?:,(?:[0-9]{1,3})?)?\})?|\|)+$/;
/** Instructions of the engine for one rule, and characters that it is given. */
const MAX_RULE_SIZE = 500;
const MAX_VALUE = 500;

function refuse(message: string): AppError {
  return new AppError('ENDPOINT_INVALID', { items: [{ field: 'route', message, code: 'ENDPOINT_LOAD' }] });
}

function compileRule(rule: string): (text: string) => boolean {
  if (!RULE.test(rule)) {
    throw refuse(
      `\`(${rule})\` may hold character classes, letters and digits, each with a quantifier, and \`|\` between them`,
    );
  }
  try {
    const { size, test } = compileLinear(`^(?:${rule})$`, '');
    if (size > MAX_RULE_SIZE) throw refuse(`\`(${rule})\` is too large`);
    return (text) => text.length <= MAX_VALUE && test(text);
  } catch (error) {
    if (error instanceof LinearRegexError) throw refuse(`\`(${rule})\` is no pattern that can be used here`);
    throw error;
  }
}

function splitRoute(route: string): readonly string[] {
  const parts: string[] = [];
  SEGMENT.lastIndex = 0;
  for (let end = 0; end < route.length; end = SEGMENT.lastIndex) {
    const part = SEGMENT.exec(route)?.[1];
    if (part === undefined) throw refuse('must be segments of a path, each after a slash');
    parts.push(part);
  }
  return parts;
}

function parseSegment(part: string): { readonly segment: Segment; readonly optional: boolean } {
  if (LITERAL.test(part) && part !== '.' && part !== '..') return { segment: part, optional: false };
  const found = PARAMETER.exec(part)?.groups;
  if (found === undefined) {
    throw refuse(`\`${part}\` is neither a text nor a parameter such as \`:id\` or \`:id([0-9]+)\``);
  }
  const { name = '', rule, optional } = found;
  const accepts = rule === undefined ? undefined : compileRule(rule);
  return { segment: { name, accepts }, optional: optional !== undefined };
}

/** Reads the route of an endpoint of this version. Throws ENDPOINT_INVALID about `route`. */
export function parseRoute(route: string, apiVersion: string): RoutePattern {
  if (route.length > MAX_ROUTE) throw refuse(`must have at most ${MAX_ROUTE} characters`);
  const [version, ...rest] = splitRoute(route);
  if (version !== apiVersion) throw refuse(`must start with \`/${apiVersion}/\``);
  if (rest.length === 0) throw refuse('must name something below its version');
  if (rest.length > MAX_SEGMENTS) throw refuse(`must have at most ${MAX_SEGMENTS} segments`);
  const parsed = rest.map(parseSegment);
  const [last] = parsed.slice(-1);
  if (parsed.slice(0, -1).some(({ optional }) => optional))
    throw refuse('only the last segment may be optional');
  const optional = last?.optional === true;
  if (optional && rest.length === 1) throw refuse('must have a segment that is not optional');
  const segments = parsed.map(({ segment }) => segment);
  const names = segments.flatMap((segment) => (typeof segment === 'string' ? [] : segment.name));
  if (new Set(names).size < names.length) throw refuse('must not use the name of a parameter twice');
  return { text: route, segments, optional };
}

function fits(segment: Segment, text: string): boolean {
  if (typeof segment === 'string') return segment === text;
  return text !== '' && (segment.accepts?.(text) ?? true);
}

/** The values of the parameters when these decoded segments below the version match. */
export function matchRoute(
  { segments, optional }: RoutePattern,
  texts: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const missing = segments.length - texts.length;
  if (missing !== 0 && !(optional && missing === 1)) return undefined;
  // Literal texts first: a rule costs a thousand times more to ask, and there may be a thousand routes.
  for (const [index, text] of texts.entries()) {
    const segment = segments[index];
    if (typeof segment === 'string' && segment !== text) return undefined;
  }
  const params = Object.create(null) as Record<string, string>;
  for (const [index, text] of texts.entries()) {
    const segment = segments[index];
    if (segment === undefined || !fits(segment, text)) return undefined;
    if (typeof segment !== 'string') params[segment.name] = text;
  }
  return params;
}

const overlap = (a: Segment, b: Segment): boolean => {
  if (typeof a === 'string') return fits(b, a);
  // Whether two rules have a text in common is not worth finding out.
  return typeof b === 'string' ? fits(a, b) : true;
};

/** May some path match both? Texts count as segments that have to be met as they are. */
export function routesOverlap(a: Pick<RoutePattern, 'segments' | 'optional'>, b: typeof a): boolean {
  const lengths = ({ segments, optional }: typeof a) =>
    optional ? [segments.length, segments.length - 1] : [segments.length];
  const common = lengths(a).filter((length) => lengths(b).includes(length));
  return common.some((length) =>
    a.segments.slice(0, length).every((segment, index) => overlap(segment, b.segments[index] ?? '')),
  );
}

/** May some path that matches begin with these segments and go on? */
export function routeEnters({ segments }: RoutePattern, beginning: readonly string[]): boolean {
  return (
    segments.length > beginning.length && beginning.every((text, index) => fits(segments[index] ?? '', text))
  );
}
