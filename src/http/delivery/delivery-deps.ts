// Dependencies of the delivery listener. Types only: `src/setup/delivery.ts` builds every member.

import type { Definitions } from '../../delivery/definitions/definitions.ts';
import type { DeliverDeps } from '../../delivery/deliver.ts';
import type { VariantService } from '../../delivery/images/variant-service.ts';
import type { Visitor } from '../../delivery/model/delivery-types.ts';
import type { Recipe } from '../../delivery/recipes/recipe.ts';
import type { RouteExplanation } from '../../delivery/routes/decide-route.ts';
import type { Route } from '../../delivery/routes/route.ts';
import type { HttpDeps } from '../core/http-deps.ts';

/** Dependencies shared with the content API's listener. */
export type SharedHttpDeps = Pick<
  HttpDeps,
  | 'config'
  | 'logger'
  | 'audit'
  | 'login'
  | 'tokens'
  | 'createCaller'
  | 'isReady'
  | 'unsentBytes'
  | 'store'
  | 'metrics'
  | 'now'
  | 'generateId'
>;

export interface DeliveryDeps extends SharedHttpDeps {
  readonly deliver: DeliverDeps;
  readonly routes: Definitions<Route>;
  readonly recipes: Definitions<Recipe>;
  /** Undefined when there is no route of this name. */
  readonly explain: (name: string, visitor: Visitor) => Promise<RouteExplanation> | undefined;
  readonly flush: VariantService['flush'];
}
