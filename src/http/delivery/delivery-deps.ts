// Dependencies of the delivery listener. Types only: `src/setup/delivery.ts` builds every member.

import type { DefinitionAdministration } from '../../delivery/definition-administration.ts';
import type { DeliverDeps } from '../../delivery/deliver.ts';
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

export interface DeliveryDeps extends SharedHttpDeps, DefinitionAdministration {
  readonly deliver: DeliverDeps;
<<<<<<< HEAD
  /** Drops the variants that a pattern means, in this process and the others. */
  readonly flush: (pattern: string) => Promise<void>;
=======
>>>>>>> f4b30d00 (tmp)
}
