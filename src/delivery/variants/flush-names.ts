// What the names in a flush stand for: the routes and recipes of the moment.
import type { Definitions } from '../definitions/definitions.ts';
import type { Recipe } from '../recipes/recipe.ts';
import type { Route } from '../routes/route.ts';
import type { FlushNames } from './flush-pattern.ts';

interface FlushNamesDeps {
  readonly routes: Pick<Definitions<Route>, 'get' | 'list'>;
  readonly recipes: Pick<Definitions<Recipe>, 'get' | 'list'>;
}

/** Looks each name up when it is asked for. */
export function createFlushNames({ routes, recipes }: FlushNamesDeps): FlushNames {
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
  return {
    recipe,
    recipesOf,
    recipesLike: (prefix) =>
      [...routes.list(), ...recipes.list()].flatMap(({ name }) =>
        name.startsWith(prefix) ? (recipesOf(name) ?? []) : [],
      ),
  };
}
