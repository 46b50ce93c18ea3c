// Drops rendered images by a pattern, whose first segment may name a recipe or a route.
import type { Definitions } from './definitions/definitions.ts';
import type { VariantService } from './images/variant-service.ts';
import type { Recipe } from './recipes/recipe.ts';
import type { Route } from './routes/route.ts';
import type { FlushNames } from './variants/flush-pattern.ts';

/** Characters of a pattern. */
export const MAX_PATTERN_LENGTH = 4096;

/** True for a pattern of a flush. */
export const isFlushPattern = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_PATTERN_LENGTH;

interface FlushDeps {
  readonly routes: Pick<Definitions<Route>, 'get' | 'list'>;
  readonly recipes: Pick<Definitions<Recipe>, 'get' | 'list'>;
  /** Opened by the first flush. */
  readonly variants: () => Promise<Pick<VariantService, 'flush'>>;
  /** `delivery.plainRecipe` */
  readonly plainRecipe: string | undefined;
}

/** Makes the function. The pattern: `*`, a path, a path with a query string, or a query string. */
export function createImageFlush({
  routes,
  recipes,
  variants,
  plainRecipe,
}: FlushDeps): (pattern: string) => Promise<void> {
  const recipe = (name: string): Recipe | undefined => {
    const found = recipes.get(name);
    return found === undefined ? undefined : { ...found.value, name: found.name };
  };
  const recipesOf = (name: string): readonly Recipe[] | undefined => {
    const route = routes.get(name)?.value;
    const names = route === undefined ? [name] : route.branches.flatMap((branch) => branch.recipe ?? []);
    const found = [...new Set(names)].flatMap((each) => recipe(each) ?? []);
    return route === undefined && found.length === 0 ? undefined : found;
  };
  const names: FlushNames = {
    recipe,
    recipesOf,
    plain: () => (plainRecipe === undefined ? undefined : recipe(plainRecipe)),
    recipesLike: (prefix) =>
      [...routes.list(), ...recipes.list()].flatMap(({ name }) =>
        name.startsWith(prefix) ? (recipesOf(name) ?? []) : [],
      ),
  };
  return async (pattern) => {
    await (await variants()).flush(pattern, names);
  };
}
