// The values that JSON can carry, and the check that finds those which a store or another client could not preserve.

/** Documents, filters and specifications are made of these. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** True for a plain JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** How deep objects and lists may nest, the outermost one counted as 1. */
export const MAX_JSON_DEPTH = 100;

export interface JsonIssue {
  /** Dotted path of the value from the root, `''` for the root itself. */
  readonly path: string;
  readonly message: string;
}

/** What is wrong with a value. The keys that lead to it are gathered on the way back to the root: most values have no issue. */
interface Finding {
  readonly message: string;
  /** The innermost first. */
  readonly keys: (string | number)[];
  /** A number so large that only its text tells whether it is what was sent. */
  readonly isLargeNumber: boolean;
}

/** Finds the first integer of a text that parsing it has changed. It is only asked where a value holds a number that large. */
export type FindInexactInteger = () => JsonIssue | undefined;

/**
 * Finds the first issue of a value from `JSON.parse`: a lone surrogate, a number that is not finite, nesting beyond
 * `MAX_JSON_DEPTH`, a key that is `__proto__` or holds NUL; and where `findInexact` knows the text, an integer that a number
 * cannot hold. Undefined if there is none.
 */
export function findJsonIssue(value: unknown, findInexact?: FindInexactInteger): JsonIssue | undefined {
  return findIssue(findInexact, (check) => check(value, 0));
}

/** The same for a value in an envelope of the server's own, of so many levels, which do not count as depth. */
export function findEnvelopedIssue(value: unknown, envelope: number): JsonIssue | undefined {
  return findIssue(undefined, (check) => check(value, -envelope));
}

/** Finds the first issue of an element of a list, with its path from the root of the list. */
export function findElementIssue(
  value: unknown,
  index: number,
  findInexact?: FindInexactInteger,
): JsonIssue | undefined {
  return findIssue(findInexact, (check) => within(index, check(value, 1)));
}

type Check = (value: unknown, depth: number) => Finding | undefined;

function findIssue(
  findInexact: FindInexactInteger | undefined,
  run: (check: Check) => Finding | undefined,
): JsonIssue | undefined {
  if (findInexact === undefined) return toIssue(run(checkWithLarge));
  const found = run(checkWithoutLarge);
  return found?.isLargeNumber === true ? (findInexact() ?? toIssue(run(checkWithLarge))) : toIssue(found);
}

/** Makes a check. `mayBeLarge`: numbers beyond the integers that a double holds one by one are no issue. */
function createCheck(mayBeLarge: boolean): Check {
  const check: Check = (value, depth) => {
    if (typeof value === 'string') {
      return value.isWellFormed() ? undefined : issue('holds a lone surrogate');
    }
    if (typeof value === 'number') {
      if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return undefined;
      return mayBeLarge && Number.isFinite(value) ? undefined : numberIssue(value);
    }
    if (typeof value !== 'object' || value === null) {
      return undefined;
    }
    if (depth >= MAX_JSON_DEPTH) {
      return issue(`is nested deeper than ${MAX_JSON_DEPTH} levels`);
    }
    return Array.isArray(value) ? checkList(value, depth) : checkObject(value, depth);
  };

  const checkList = (list: readonly unknown[], depth: number) => {
    for (let index = 0; index < list.length; index += 1) {
      const found = check(list[index], depth + 1);
      if (found !== undefined) {
        return within(index, found);
      }
    }
    return undefined;
  };

  const checkObject = (object: object, depth: number) => {
    // Pairs of keys and members would be a list for each of what may be a million.
    for (const key of Object.keys(object)) {
      const found = checkKey(key) ?? check(Reflect.get(object, key), depth + 1);
      if (found !== undefined) {
        return within(key, found);
      }
    }
    return undefined;
  };

  return check;
}

const checkWithLarge = createCheck(true);
/** The check of most values: apart, so that it costs them nothing that others are possible. */
const checkWithoutLarge = createCheck(false);

function checkKey(key: string): Finding | undefined {
  if (key === '__proto__') {
    return issue('is a reserved name');
  }
  if (key.includes('\0')) {
    return issue('has NUL in its name');
  }
  return key.isWellFormed() ? undefined : issue('has a lone surrogate in its name');
}

const issue = (message: string): Finding => ({ message, keys: [], isLargeNumber: false });

const numberIssue = (value: number): Finding => ({
  ...issue('is not a finite number'),
  isLargeNumber: Number.isFinite(value),
});

/** What was found in a container, at a key of it. */
function within(key: string | number, found: Finding | undefined): Finding | undefined {
  found?.keys.push(key);
  return found;
}

function toIssue(found: Finding | undefined): JsonIssue | undefined {
  if (found === undefined) return undefined;
  const path = found.keys.toReversed().map((key) => String(key).toWellFormed());
  return { path: path.join('.'), message: found.message };
}
