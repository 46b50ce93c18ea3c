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
}
