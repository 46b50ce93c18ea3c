// Which variants a flush means.
import type { VariantInfo } from './variant-store.ts';

/** The recipes behind the first segment of a path: the recipe itself, those of a route, or none. */
export type RecipesOf = (name: string) => readonly string[];

/** A query string whose parameters are in one order, whatever the order in which they were sent. */
export function canonicalQuery(query: URLSearchParams): string {
  const sorted = new URLSearchParams(query);
  sorted.sort();
  return sorted.toString();
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * Reads `*`, `/recipe/path`, `/route/path`, either with `?query` or with `*` at the end for everything that begins so, and
 * `?query`. Without a query a path means all its variants. An unknown first segment matches nothing.
 */
export function createFlushMatcher(pattern: string, recipesOf: RecipesOf): (info: VariantInfo) => boolean {
  if (pattern === '*') return () => true;
  const mark = pattern.indexOf('?');
  const address = mark === -1 ? pattern : pattern.slice(0, mark);
  const query = mark === -1 ? undefined : canonicalQuery(new URLSearchParams(pattern.slice(mark + 1)));
  const matchesQuery = (info: VariantInfo) => query === undefined || info.query === query;
  if (address === '') return matchesQuery;
  const isPrefix = address.endsWith('*');
  const [name = '', ...rest] = address.replace(/^\//, '').replace(/\*$/, '').split('/');
  if (isPrefix && rest.length === 0) {
    // `/thumb*`: names that begin so, of recipes only.
    return (info) => info.recipe.startsWith(name) && matchesQuery(info);
  }
  const recipes = new Set(recipesOf(name));
  const path = decoded(rest.join('/'));
  return (info) =>
    recipes.has(info.recipe) &&
    (isPrefix ? info.path.startsWith(path) : info.path === path) &&
    matchesQuery(info);
}
