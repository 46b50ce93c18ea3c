// Which variants a flush means. A pattern and the variants are compared by what an address stands for, not by how it is spelled:
// whatever a request for the address would find is removed.

import { parsePairs } from '../../lib/http/parse-pairs.ts';
import type { Recipe } from '../recipes/recipe.ts';
import { canonicalSettings, settingNameOf } from '../recipes/setting-values.ts';
import { originalAddress, sourceIdOf } from '../sources/original-path.ts';
import { ANY_SETTINGS, type VariantInfo, type VariantMatcher } from './variant-store.ts';

/** What the first segments of paths stand for. */
export interface FlushNames {
  /** The recipe of this name, or the recipes of the route; undefined for a name of neither: the path is that of a plain file. */
  recipesOf(name: string): readonly Recipe[] | undefined;
  /** The same for all names that begin so. */
  recipesLike(prefix: string): readonly Recipe[];
  recipe(name: string): Recipe | undefined;
  /** The recipe of images that are asked for by their plain path with a query string. */
  plain(): Recipe | undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A path as requested, without the name in front, in the one form in which paths are compared. */
export function canonicalPath(encoded: string): string {
  const address = originalAddress(encoded, undefined);
  if (address === undefined) return decoded(encoded);
  return sourceIdOf(address).replace(/^[a-z]+:/, '');
}

/** Stands for the rest of an address of which a pattern has the beginning. */
const REST = 'x';

/** The beginning of what `identify` makes of every address that begins so. */
function prefixOf(encoded: string, identify: (encoded: string) => string): string {
  const identity = identify(encoded + REST);
  // Of another server its name may be all, or a part of it: a URL has a slash behind it.
  const isOrigin = /^https?:\/{1,3}[^/]*$/i.test(encoded);
  const text = isOrigin ? identity.replace(/\/$/, '') : identity;
  return text.endsWith(REST) ? text.slice(0, -REST.length) : identify(encoded);
}

/** The case of these does not matter. */
const SCHEMES = ['http://', 'https://'];

type Test = (info: VariantInfo) => boolean;

const never: Test = () => false;

/** Whether a variant is that of an address below this recipe. */
function pathTest(rest: string, isPrefix: boolean, recipe: Recipe | undefined): Test {
  const sourceOf = (encoded: string) => {
    const address = originalAddress(encoded, recipe?.path);
    return address === undefined ? '' : sourceIdOf(address);
  };
  if (!isPrefix) {
    const [path, source] = [canonicalPath(rest), sourceOf(rest)];
    return (info) => info.path === path || info.source === source;
  }
  const scheme = SCHEMES.some((text) => text.startsWith(rest.toLowerCase())) ? [rest.toLowerCase()] : [];
  const paths = [prefixOf(rest, canonicalPath), ...scheme];
  const source = prefixOf(rest, sourceOf);
  return (info) =>
    paths.some((path) => info.path.startsWith(path)) || (source !== '' && info.source.startsWith(source));
}

/** Whether a variant is the one that this recipe gives to a query string. */
function queryTest(query: URLSearchParams | undefined, recipe: Recipe | undefined): Test {
  if (query === undefined) return () => true;
  const settings = recipe === undefined ? undefined : canonicalSettings(recipe, query);
  return (info) => info.settings === ANY_SETTINGS || info.settings === settings;
}

/** A query string alone: variants of the recipes that open all of its parameters. */
function bareQueryTest(query: URLSearchParams, names: FlushNames): Test {
  const wanted = [...query.keys()].map(settingNameOf);
  return (info) => {
    const recipe = info.settings === ANY_SETTINGS ? undefined : names.recipe(info.recipe);
    if (recipe === undefined) return false;
    const opensAll = wanted.every((name) => name !== undefined && recipe.allowOverride.has(name));
    return opensAll && info.settings === canonicalSettings(recipe, query);
  };
}

const anyOf =
  (tests: readonly Test[]): Test =>
  (info) =>
    tests.some((test) => test(info));

/**
 * Reads `*`, `/recipe/path`, `/route/path`, `/path`, each with `?query` or with `*` at the end for everything that begins so, and
 * `?query`. Without a query a path means all its variants.
 */
export function createFlushMatcher(pattern: string, names: FlushNames): VariantMatcher {
  if (pattern === '*') return 'all';
  const mark = pattern.indexOf('?');
  const address = mark === -1 ? pattern : pattern.slice(0, mark);
  const query = mark === -1 ? undefined : parsePairs(pattern.slice(mark + 1));
  if (address === '') return query === undefined ? never : bareQueryTest(query, names);
  const isPrefix = address.endsWith('*');
  const whole = address.replace(/^\//, '').replace(/\*$/, '');
  const slash = whole.indexOf('/');
  const name = decoded(slash === -1 ? whole : whole.slice(0, slash));
  const below = (recipe: Recipe, rest: string): Test => {
    const [isPath, isQuery] = [pathTest(rest, isPrefix, recipe), queryTest(query, recipe)];
    return (info) => info.recipe === recipe.name && isPath(info) && isQuery(info);
  };
  const isPlainPath = pathTest(whole, isPrefix, undefined);
  const asItIs: Test = (info) => info.recipe === '' && isPlainPath(info);
  const plainRecipe = names.plain();
  const plain = plainRecipe === undefined ? asItIs : anyOf([asItIs, below(plainRecipe, whole)]);
  if (slash === -1) {
    return isPrefix ? anyOf([...names.recipesLike(name).map((recipe) => below(recipe, '')), plain]) : plain;
  }
  const recipes = names.recipesOf(name);
  return recipes === undefined
    ? plain
    : anyOf(recipes.map((recipe) => below(recipe, whole.slice(slash + 1))));
}
