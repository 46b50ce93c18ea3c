// Ends the work that a process had under way which ended without stopping.
import type { DocumentStore } from '../stores/ports.ts';
import type { DeploymentOptions } from './deployment-types.ts';

type Deps = Pick<DeploymentOptions, 'log' | 'now' | 'timeoutMs'> & {
  readonly store: Pick<DocumentStore, 'endWorkOf'>;
};

/** Ends it, so that nobody waits for it. Never rejects: it ends by itself, later. */
export async function endLostWork({ store, log, now, timeoutMs }: Deps, id: string): Promise<void> {
  try {
    await store.endWorkOf?.(id, { deadline: now() + timeoutMs });
  } catch (error) {
    log.warn({ err: error, process: id }, 'cannot end what a lost server has left under way');
  }
}
