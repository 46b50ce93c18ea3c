// What a command needs to tell the servers of a change, and to wait until they have it in force.
import type { Config } from '../../config/schema.ts';
import type { DocumentStore } from '../../stores/ports.ts';

/** The open database, with the clocks of this process. */
export const changeDeps = ({ limits }: Pick<Config, 'limits'>, store: DocumentStore) => ({
  store,
  now: Date.now,
  clock: () => performance.now(),
  timeoutMs: limits.queryMs,
});
