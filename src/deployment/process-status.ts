// What is shown of the processes of a deployment.
import type { ProcessStatus } from './deployment-types.ts';
import type { ProcessRecord } from './process-records.ts';

/** `self`: id of the process that answers. */
export function statusOf(record: ProcessRecord, self: string): ProcessStatus {
  const { id, host, pid, address, version, since, lastSeen, applied } = record;
  return { id, host, pid, address, version, since, lastSeen, changes: applied, isSelf: id === self };
}
