// What admins do with routes, recipes and rendered images, over HTTP and on either port. Types only: the composition root builds it.

import type { Json } from '../lib/json/json.ts';
import type { Definitions } from './definitions/definitions.ts';
import type { Visitor } from './model/delivery-types.ts';
import type { Recipe } from './recipes/recipe.ts';
import type { RouteExplanation } from './routes/decide-route.ts';
import type { Route } from './routes/route.ts';

export interface PreviewOptions {
  /** Value of `Accept`; empty when absent. */
  readonly accept: string;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/** An image that is kept nowhere, or everything that is wrong with the recipe. */
export type RecipePreview =
  | {
      readonly ok: true;
      readonly headers: Readonly<Record<string, string>>;
      readonly bytes: Buffer;
    }
  | { readonly ok: false; readonly errors: readonly string[] };

export interface DefinitionAdministration {
  readonly routes: Definitions<Route>;
  readonly recipes: Definitions<Recipe>;
  /** Undefined when there is no route of this name. */
  readonly explain: (name: string, visitor: Visitor) => Promise<RouteExplanation> | undefined;
  /** Drops rendered images by a pattern: `*`, a path, a path with a query string, or a query string. */
  readonly flush: (pattern: string) => Promise<void>;
  /**
   * Renders an original as a recipe that is not saved says. `body`: the recipe, and the path of the original as `original`.
   * Rejects as `deliver` does.
   */
  readonly preview: (body: Json, options: PreviewOptions) => Promise<RecipePreview>;
}
