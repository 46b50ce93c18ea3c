// Finds values in parsed JSON that a store or another client could not preserve.

import type { Json } from './json.ts';

/** How deep objects and lists may nest, the outermost one counted as 1. */
export const MAX_JSON_DEPTH = 100;

export interface JsonIssue {
  /** Dotted path of the value from the root, `''` for the root itself. */
  readonly path: string;
  readonly message: string;
}

/** JSON that its parser has checked with `findJsonIssue` or `findElementIssue`, so that nobody checks it again. */
export class CheckedJson {
  readonly value: Json;

  constructor(value: Json) {
    this.value = value;
  }
}

/** One container on the way to the current value: enough to build the path of an issue. */
interface Step {
  readonly parent: Step | undefined;
  readonly key: string | number;
}

/**
 * Finds the first issue of a value from `JSON.parse`: a lone surrogate, a number that is not finite, nesting beyond
 * `MAX_JSON_DEPTH`, a key that is `__proto__` or holds NUL. Undefined if there is none.
 */
export function findJsonIssue(value: unknown): JsonIssue | undefined {
  return check(value, undefined, 0);
}

/** Finds the first issue of an element of a list, with its path from the root of the list. */
export function findElementIssue(value: unknown, index: number): JsonIssue | undefined {
  return check(value, { parent: undefined, key: index }, 1);
}

function check(value: unknown, step: Step | undefined, depth: number): JsonIssue | undefined {
  if (typeof value === 'string') {
    return value.isWellFormed() ? undefined : issue(step, 'holds a lone surrogate');
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? undefined : issue(step, 'is not a finite number');
  }
  if (typeof value !== 'object' || value === null) {
    return undefined;
  }
  if (depth >= MAX_JSON_DEPTH) {
    return issue(step, `is nested deeper than ${MAX_JSON_DEPTH} levels`);
  }
  return Array.isArray(value) ? checkList(value, step, depth) : checkObject(value, step, depth);
}

function checkList(list: readonly unknown[], parent: Step | undefined, depth: number): JsonIssue | undefined {
  for (let key = 0; key < list.length; key += 1) {
    const found = check(list[key], { parent, key }, depth + 1);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

function checkObject(object: object, parent: Step | undefined, depth: number): JsonIssue | undefined {
  // Pairs of keys and members would be a list for each of what may be a million.
  for (const key of Object.keys(object)) {
    const step = { parent, key };
    const found = checkKey(key, step) ?? check(Reflect.get(object, key), step, depth + 1);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

function checkKey(key: string, step: Step): JsonIssue | undefined {
  if (key === '__proto__') {
    return issue(step, 'is a reserved name');
  }
  if (key.includes('\0')) {
    return issue(step, 'has NUL in its name');
  }
  return key.isWellFormed() ? undefined : issue(step, 'has a lone surrogate in its name');
}

function issue(step: Step | undefined, message: string): JsonIssue {
  const keys: string[] = [];
  for (let at = step; at !== undefined; at = at.parent) {
    keys.push(String(at.key).toWellFormed());
  }
  return { path: keys.reverse().join('.'), message };
}
