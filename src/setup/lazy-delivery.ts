// Delivery, opened by the first who needs it: its listener, or an admin who asks the content API for routes and recipes.

import type { DefinitionAdministration } from '../delivery/definition-administration.ts';
import { AppError, StoreError } from '../errors/errors.ts';
import { lazily } from '../lib/async/lazily.ts';
import type { DeliverySetup } from './delivery.ts';
import type { DeliveryOptions } from './delivery-options.ts';

export interface LazyDelivery {
  /** Creates the server on the first call. A process that serves the content API alone never does. */
  server(): Promise<DeliverySetup['server']>;
  /** Routes and recipes. Rejects with a StoreError where they cannot be opened. */
  administration(): Promise<DefinitionAdministration>;
  /** Ends the server. */
  closeServer(): Promise<void>;
  /** Closes everything else, once no server asks for it any more. */
  close(): Promise<void>;
}

const ignore = () => undefined;

export function createLazyDelivery(options: DeliveryOptions): LazyDelivery {
  const load = () => import('./delivery.ts');
  const opened = lazily(async () => (await load()).openDelivery(options));
  const setup = lazily(async () => (await load()).createDelivery(options, await opened.get()));
  return {
    server: async () => (await setup.get()).server,
    async administration() {
      try {
        const { administration, assertLoaded } = await opened.get();
        assertLoaded();
        return administration;
      } catch (error) {
        if (error instanceof AppError || error instanceof StoreError) throw error;
        throw new StoreError('unavailable', { cause: error });
      }
    },
    // Whoever began to open has got the error already.
    closeServer: async () => (await setup.started()?.catch(ignore))?.close(),
    close: async () => (await opened.started()?.catch(ignore))?.close(),
  };
}
