// The names of routes and recipes: what a name may be, and which file has it. All kinds share one table, because all names
// are first segments of the same addresses.

import { createKeyedMutex } from '../../lib/async/concurrency.ts';
import { foldCase } from '../../lib/regex/case-folding.ts';
import type { DefinitionKind } from './definition.ts';

const MAX_NAME_LENGTH = 100;

/** What a client may create. Digits stand behind the first character. */
const NAME = /^[A-Za-z_-][A-Za-z0-9_-]{4,}$/;

/** What a file may be called: older servers looked at no name, so that shorter ones exist. */
const FILE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** First segments that mean something else, here or to clients of older servers. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['api', 'token', 'hello', 'health', 'docs', 'metrics', 'media', 'favicon.ico', 'robots.txt'],
  ...['css', 'js', 'fonts', 'disk', 'http', 'https', 's3', '__proto__'],
]);

const MISSING = { route: 'Route name is missing', recipe: 'Property "recipe" not found in recipe' } as const;

type Noun = DefinitionKind<unknown>['noun'];

export const kindTitle = (noun: Noun) => (noun === 'route' ? 'Route' : 'Recipe');

/** What is wrong with the name of a posted document, in the words that clients read. */
export function findNameErrors(noun: Noun, name: unknown): readonly string[] {
  const title = kindTitle(noun);
  const rule = `${title} name must be 5 characters or longer and contain only uppercase and lowercase letters, dashes and underscores`;
  if (name === '') return [MISSING[noun], rule];
  if (!name) return [MISSING[noun]];
  if (typeof name !== 'string') return [`${title} name must be a string`];
  if (RESERVED.has(name.toLowerCase())) return [`${title} name is reserved`];
  if (!NAME.test(name)) return [rule];
  if (name.length > MAX_NAME_LENGTH)
    return [`${title} name must be ${MAX_NAME_LENGTH} characters or shorter`];
  return [];
}

/** Why a file cannot have this name; undefined when it can. */
export function findFileNameError(noun: Noun, name: string): string | undefined {
  if (RESERVED.has(name.toLowerCase())) return `${kindTitle(noun)} name is reserved`;
  if (FILE_NAME.test(name) && name.length <= MAX_NAME_LENGTH) return undefined;
  return `${kindTitle(noun)} name must be 1 to ${MAX_NAME_LENGTH} letters, digits, dashes and underscores`;
}

/** Which file has which name, whatever the case of its letters. The first that asked for a name has it. */
export interface DefinitionNames {
  /** The file asks for `name`, and no longer for the one before. */
  claim(file: string, name: string): void;
  /** The file is gone. The next one that asked for its name has it now. */
  release(file: string): void;
  holderOf(name: string): string | undefined;
  /** Runs a change while no other runs, of whatever kind. */
  exclusively<T>(change: () => Promise<T>): Promise<T>;
}

export function createDefinitionNames(): DefinitionNames {
  const nameOf = new Map<string, string>();
  const claims = new Map<string, readonly string[]>();
  const queue = createKeyedMutex();

  const release = (file: string) => {
    const name = nameOf.get(file);
    if (name === undefined) return;
    nameOf.delete(file);
    const left = (claims.get(name) ?? []).filter((one) => one !== file);
    if (left.length === 0) claims.delete(name);
    else claims.set(name, left);
  };
  return {
    claim(file, name) {
      const folded = foldCase(name);
      if (nameOf.get(file) === folded) return;
      release(file);
      nameOf.set(file, folded);
      claims.set(folded, [...(claims.get(folded) ?? []), file]);
    },
    release,
    holderOf: (name) => claims.get(foldCase(name))?.[0],
    exclusively: (change) => queue.withLock('', change),
  };
}
